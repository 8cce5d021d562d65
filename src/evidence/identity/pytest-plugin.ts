/**
 * A pytest plugin that reports its tests; loaded with `-p` before any conftest.py. Requires Python 3.7.
 */
export const pytestPlugin = `"""Reports the tests of pytest to the engine."""
import os

import loopwright_channel

_send = loopwright_channel.send


class _Session:
    def __init__(self, config):
        self.wanted = loopwright_channel.read_wanted()
        self.bodies = {}
        self.root = str(config.rootpath if hasattr(config, "rootpath") else config.rootdir)

    def where(self, nodeid):
        file, _, rest = nodeid.partition("::")
        titles = rest.split("[", 1)
        names = [name for name in titles[0].split("::") if name]
        if names and len(titles) > 1:
            names[-1] += "[" + titles[1]
        return {"file": os.path.join(self.root, file), "titles": [name[:4000] for name in names] or ["(file)"]}

    def send(self, kind, nodeid, **more):
        where = self.where(nodeid)
        body = self.bodies.get(nodeid)
        if body is not None:
            where["body"] = body
        _send(dict({"type": kind}, **dict(where, **more)))

    def pytest_collection_modifyitems(self, config, items):
        if self.wanted is None:
            return
        files, titles = self.wanted
        kept, others = [], []
        for item in items:
            where = self.where(item.nodeid)
            is_wanted = where["file"] in files and (not titles or tuple(where["titles"]) in titles)
            (kept if is_wanted else others).append(item)
        if others:
            config.hook.pytest_deselected(items=others)
            items[:] = kept

    def pytest_collection_finish(self, session):
        for item in session.items:
            body = loopwright_channel.find_body(getattr(item, "function", None))
            where = self.where(item.nodeid)
            names = [name.split("[", 1)[0] for name in where["titles"]]
            if body is not None and (body["file"] != where["file"] or body["titles"] != names):
                self.bodies[item.nodeid] = body
            self.send("declared", item.nodeid)

    def pytest_collectreport(self, report):
        if report.failed:
            self.send("test", report.nodeid, status="failed", message=_text(report))
        elif report.skipped and report.nodeid:
            self.send("test", report.nodeid, status="skipped", message=_text(report))

    def pytest_runtest_logreport(self, report):
        # A test that fails in its teardown passed before: the last result counts.
        if report.when == "call" or report.outcome != "passed":
            self.results = getattr(self, "results", {})
            known = self.results.get(report.nodeid)
            if known is None or report.outcome == "failed" or report.outcome == "rerun":
                self.results[report.nodeid] = (report.outcome, _text(report))
        if report.when == "teardown":
            outcome, message = getattr(self, "results", {}).pop(report.nodeid, ("skipped", ""))
            status = outcome if outcome in ("passed", "failed", "skipped") else "skipped"
            more = {} if status == "passed" else {"message": message}
            self.send("test", report.nodeid, status=status, **more)

    def pytest_sessionfinish(self, session, exitstatus):
        loopwright_channel.set_code(int(exitstatus))
        loopwright_channel.end()


def _text(report):
    try:
        crash = getattr(report.longrepr, "reprcrash", None)
        return str(crash.message if crash is not None else report.longrepr)[:300]
    except Exception:
        return ""


_begun = False


def pytest_configure(config):
    global _begun
    # pytest-xdist workers report to the process that started them; a session inside a test is part of that test.
    if _begun or hasattr(config, "workerinput") or not loopwright_channel.begin("pytest"):
        return
    _begun = True
    config.pluginmanager.register(_Session(config), "loopwright-session")
`
