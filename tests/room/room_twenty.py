"""Twenty people at once: each gets lessons and a kernel, nobody gets at another's, and the instructor sees the board.

What it took is printed at the end; nothing is asserted of seconds.
"""

import asyncio
import os
import shutil
import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
import pytest
from tornado.httpclient import HTTPClientError

from boundary_lab.nets import CHECKOUT
from hub import ROOM, Kernel, Person, Stranger, memory, room

PEOPLE = int(os.environ.get("PEOPLE", "20"))
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


def test_nobody_reads_another_s_home_as_another_user(people, two):
    one, other = two

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
    "/user/{other}/files/work/progress.jsonl",
    "/user/{other}/api/kernels",
    "/user/{other}/lab",
    "/user/{one}/api/contents/../{other}/work",
    "/user/{one}/api/contents/..%2F..%2F{other}%2Fwork",
    "/user/{one}/files/..%2f..%2f{other}%2fwork%2fprogress.jsonl",
    "/user/{one}/../{other}/api/contents/work",
    "/hub/api/users/{other}",
    "/hub/api/users",
    "/hub/admin",
]
ASKING = {
    "with one's own cookies": lambda one, _: {"Cookie": one.cookies()},
    "with one's own cookies under the other's name": lambda one, other: {
        "Cookie": one.cookies().replace(one.name, other.name)
    },
    "with one's own token": lambda one, _: {"Authorization": f"token {one.token()}"},
    "with nothing": lambda *_: {},
}


@pytest.fixture(scope="module")
def two(people):
    """Two whose servers run: each gets at one's own, by cookie and by token, or nothing here would mean anything."""
    for person in people[1:3]:
        person.start()
        for way in ("with one's own cookies", "with one's own token"):
            headers = ASKING[way](person, person)
            status, text = Stranger(person.address).ask(f"/user/{person.name}/api/contents/work", **headers)
            assert status == 200, (way, status)
            assert "progress.jsonl" in text
    return people[1:3]


def is_refused(status, text):
    """An answer that says no, or the page that asks for a password."""
    return status in (400, 403, 404, 405) or (status == 200 and 'name="password"' in text)


@pytest.mark.parametrize("way", ASKING)
@pytest.mark.parametrize("path", PATHS)
def test_nobody_gets_at_another_s_server(two, path, way):
    one, other = two
    asked = path.format(one=one.name, other=other.name)
    status, text = Stranger(one.address).ask(asked, **ASKING[way](one, other))
    assert is_refused(status, text), (status, text[:200])


@pytest.mark.parametrize("way", ASKING)
def test_nobody_talks_to_another_s_kernel(two, way):
    one, other = two

    async def tried():
        mine = await other.kernel("work/00_start_here.ipynb")
        with pytest.raises(HTTPClientError) as refused:
            await Kernel.at(one.address, mine.path, ASKING[way](one, other))
        await mine.close()
        return refused.value.code

    assert asyncio.run(tried()) in (403, 404)


def test_a_server_s_own_port_wants_its_person(two):
    """Each server listens on loopback too, where every user of the machine can knock."""
    one, other = two
    path = f"/user/{other.name}/api/contents/work"
    ports = [Stranger(f"http://127.0.0.1:{port}", seconds=2) for port in _ports(other.name)]
    (server,) = (each for each in ports if each.ask(path, Cookie=other.cookies())[0] == 200)
    for way, headers in ASKING.items():
        status, text = server.ask(path, **headers(one, other))
        assert is_refused(status, text), (way, status, text[:200])


def _ports(name):
    """What a user's processes listen on; a kernel's own port takes messages of its own processes, by a secret."""
    user = str((ROOM / name).stat().st_uid)
    sockets = [line.split() for line in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]]
    return [int(each[1].split(":")[1], 16) for each in sockets if each[3] == "0A" and each[7] == user]
