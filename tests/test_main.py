import signal

from boundary_lab import __main__, cli


def test_an_interrupt_before_the_command_answers_for_itself(monkeypatch):
    def interrupted():
        raise KeyboardInterrupt

    handlers = []
    monkeypatch.setattr(signal, "signal", lambda *handler: handlers.append(handler))
    monkeypatch.setattr(cli, "main", interrupted)
    assert __main__.main() == 130
    assert handlers == [(signal.SIGINT, signal.SIG_IGN)]
