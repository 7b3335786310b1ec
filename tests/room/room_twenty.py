"""Twenty people at once: each gets lessons and a kernel, nobody gets at another's, and the instructor sees the board.

What it took is printed at the end; nothing is asserted of seconds.
"""

import asyncio
import json
import os
import shutil
import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
import pytest

from boundary_lab.nets import CHECKOUT
from hub import ROOM, Person, Stranger, memory, room

PEOPLE = int(os.environ.get("PEOPLE", "20"))
REFUSED = (0, 400, 403, 404, 424)
LESSONS = [path.name for path in sorted((CHECKOUT / "notebooks").glob("0[1-4]_*.ipynb"))]
SOLVED = CHECKOUT / "notebooks" / "solutions" / LESSONS[0]

if (sys.platform != "linux" or os.geteuid() != 0 or not shutil.which("useradd")) and not os.environ.get("CI"):
    pytest.skip("a room makes users of this system: it needs Linux and root", allow_module_level=True)


@pytest.fixture(scope="module")
def people():
    with room(PEOPLE) as (address, passwords):
        yield [Person(address, name, password) for name, password in passwords.items()]


def test_twenty_at_once(people, capsys):
    instructor, *attendees = people
    with ThreadPoolExecutor(PEOPLE) as pool:
        started = [*pool.map(Person.start, attendees)]
    instructor.start()
    seconds = asyncio.run(_everybody(attendees))
    held = [memory(person.name) for person in attendees]
    board = ROOM / instructor.name / "board.html"
    deadline = time.monotonic() + 30
    while board.read_text(encoding="utf-8").count('<td class="right">') < PEOPLE and time.monotonic() < deadline:
        time.sleep(1)
    assert board.read_text(encoding="utf-8").count('<td class="right">') == PEOPLE
    assert (board.stat().st_mode & 0o777, board.owner()) == (0o400, instructor.name)
    p50, p95 = (statistics.quantiles(seconds, n=100)[at] for at in (49, 94))
    with capsys.disabled():
        slowest, half = max(started), statistics.median(started)
        print(f"\n{PEOPLE} people at once: all servers there after {slowest:.1f} s, half after {half:.1f} s;")
        print(f"{len(seconds)} cells, p50 {p50:.2f} s, p95 {p95:.2f} s; {statistics.median(held)} MiB for each person")


async def _everybody(attendees):
    return [taken for times in await asyncio.gather(*map(_lessons, attendees)) for taken in times]


async def _lessons(person):
    """Lessons 1 to 4 in one kernel each, one after another, and one exercise checked."""
    times = []
    for name in LESSONS:
        kernel = await person.kernel(f"work/{name}")
        times += await _cells(kernel, CHECKOUT / "notebooks" / name)
        await kernel.close()
    kernel = await person.kernel(f"work/exercises/{LESSONS[0]}")
    for cell in nbformat.read(SOLVED, as_version=4).cells:
        if cell.id in ("imports", "task-spot", "answer-spot", "check-spot"):
            said, taken = await kernel.run(cell.source)
            times.append(taken)
    await kernel.close()
    assert said.startswith("Right. ")
    return times


async def _cells(kernel, path):
    """Every cell says what is stored; those that show a widget have that for their text."""
    times = []
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code":
            said, taken = await kernel.run(cell.source)
            stored = "".join(
                output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.outputs
            )
            assert said == stored, (path.name, cell.id)
            times.append(taken)
    return times


def test_nobody_reads_another_s_home_as_another_user(people):
    _, one, other = people[:3]

    async def tried():
        kernel = await one.kernel("work/00_start_here.ipynb")
        for path in (
            other.name,
            f"{other.name}/work/progress.jsonl",
            "hub/passwords.txt",
            "hub",
            f"{people[0].name}/board.html",
        ):
            looks = f"from pathlib import Path\nfound = Path({str(ROOM / path)!r})\nfound.stat(), [*found.iterdir()]"
            yield await kernel.run(looks)
        yield await kernel.run("import boundary_lab.fixtures as f; (f.ROOT / 'new').touch()")
        yield await kernel.run(f"import os; os.kill({_pid(other.name)}, 0)")
        await kernel.close()

    async def all_of_it():
        return [said async for said, _ in tried()]

    for said in asyncio.run(all_of_it()):
        assert said.startswith("PermissionError"), said


def _pid(name):
    return next(path.name for path in Path("/proc").glob("[0-9]*") if path.owner() == name)


PATHS = [
    "/user/{other}/api/contents/work",
    "/user/{other}/api/contents/work/progress.jsonl",
    "/user/{other}/api/kernels",
    "/user/{other}/api/terminals",
    "/user/{other}/lab",
    "/user/{one}/api/contents/../{other}/work",
    "/user/{one}/api/contents/..%2F{other}%2Fwork",
    "/user/{one}/files/..%2f..%2f{other}%2fwork%2fprogress.jsonl",
    "/user/{one}/../{other}/api/contents/work",
    "/hub/api/users/{other}",
    "/hub/api/users",
    "/hub/admin",
]


@pytest.mark.parametrize("path", PATHS)
def test_nobody_gets_at_another_s_server(people, path):
    """With the cookies of one, and with a token of one."""
    _, one, other = people[:3]
    asked = path.format(one=one.name, other=other.name)
    status, text = one.ask(asked)
    assert status in REFUSED, (status, text[:200])
    status, text = _as_token(one, asked)
    assert status in REFUSED or "progress" not in text, (status, text[:200])


def _as_token(person, path):
    status, text = person.post(f"/hub/api/users/{person.name}/tokens", "/hub")
    assert status == 201
    return Stranger(person.address).ask(path, Authorization=f"token {json.loads(text)['token']}")


def test_a_server_s_own_port_wants_the_cookie_of_its_person(people):
    """Each server listens on loopback too, where every user of the machine can knock."""
    _, one, other = people[:3]
    ports = [
        int(line.split()[1].split(":")[1], 16)
        for line in Path("/proc/net/tcp").read_text().splitlines()[1:]
        if line.split()[3] == "0A" and line.split()[7] == str((ROOM / other.name).stat().st_uid)
    ]
    assert ports
    for port in ports:
        status, text = Stranger(f"http://127.0.0.1:{port}", one.opener).ask(f"/user/{other.name}/api/contents/work")
        assert status != 200 or "progress.jsonl" not in text
