/** The connection of a Python process to the engine, opened once, on first use. */
export const pythonChannel = `"""Sends records to the engine."""
import _socket
import json
import os
import sys

folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# Without \`socket\`, which takes as long to import as a short check to run.
_connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
_connected = True
try:
    _connection.connect(os.path.join(folder, "sock"))
except OSError:
    _connected = False
# A number: Python warns of a connection that is open at the end.
_descriptor = _connection.detach()
_pid = os.getpid
_own = _pid()
_state = {"code": 0}


def send(record, dumps=json.dumps, write=os.write):
    # A forked process has our descriptor as well.
    if _connected and _pid() == _own:
        try:
            left = (dumps(record) + "\\n").encode()
            while left:
                left = left[write(_descriptor, left) :]
        except OSError:
            pass


def begin(name):
    """False: a runner that a test starts is part of that test."""
    if "LOOPWRIGHT_RUNNER" in os.environ:
        return False
    os.environ["LOOPWRIGHT_RUNNER"] = name
    send({"type": "runner", "name": name})
    return True


def set_code(code):
    _state["code"] = code


def end():
    send({"type": "end", "code": _state["code"]})


def read_wanted():
    """Files and titles, or None: all tests."""
    try:
        with open(os.path.join(folder, "only.json"), encoding="utf-8") as file:
            wanted = json.load(file)
        return set(wanted["files"]), set(tuple(titles) for titles in wanted["titles"])
    except (OSError, ValueError):
        return None


def find_body(function):
    """Where it is written: an inherited test is in another class, often in another file."""
    try:
        import inspect

        inner = inspect.unwrap(function)
        titles = inner.__qualname__.split(".")
        if "<locals>" in titles or "<lambda>" in titles:
            return None
        return {"file": os.path.realpath(inner.__code__.co_filename), "titles": titles}
    except Exception:
        return None


_argv = getattr(sys, "argv", None) or getattr(sys, "orig_argv", None) or ["python"]
send({"type": "hello", "pid": _own, "thread": 0, "argv": [str(arg)[:200] for arg in _argv[:6]]})
`
