/**
 * Reports the tests of unittest, and of runners built on it: anything that calls a suite with a result. unittest tests
 * that pytest runs are reported by pytest.
 */
export const unittestReporter = `"""Reports the tests of unittest to the engine."""
import os
import sys

import loopwright_channel

_send = loopwright_channel.send
_top = os.getcwd()
_own = os.getpid()


def _text(err):
    try:
        return str(err[1])[:300]
    except Exception:
        return ""


def _file_of(name):
    module = sys.modules.get(name)
    file = getattr(module, "__file__", None) or ""
    return os.path.normpath(os.path.join(_top, file)) if file else ""


def _unloaded(name):
    """The file of a module that could not be imported."""
    part = name.replace(".", os.sep)
    for folder in sys.path:
        for end in (".py", os.sep + "__init__.py"):
            path = os.path.join(_top, folder, part + end)
            if os.path.isfile(path):
                return os.path.normpath(path)
    return ""


def _where(test):
    kind = type(test)
    name = getattr(test, "_testMethodName", "") or str(test)
    if kind.__module__ == "unittest.loader":
        return _unloaded(name), ["(file)"]
    example = getattr(test, "_dt_test", None)
    if example is not None:
        return example.filename or "", [example.name[:4000]]
    function = getattr(test, "_testFunc", None)
    if function is not None:
        return _file_of(function.__module__), [function.__name__[:4000]]
    return _file_of(kind.__module__), [one[:4000] for one in kind.__qualname__.split(".")] + [name[:4000]]


class _Session:
    def __init__(self, suite_class, look):
        self.suite_class = suite_class
        self.look = look
        self.wanted = loopwright_channel.read_wanted()
        self.is_begun = None
        self.depth = 0
        self.declared = {}
        self.outcomes = {}
        self.sent = set()

    def begin(self):
        if self.is_begun is None:
            self.is_begun = loopwright_channel.begin("unittest")
        return self.is_begun and os.getpid() == _own

    def is_wanted(self, test):
        files, titles = self.wanted
        file, names = _where(test)
        return file in files and (not titles or names == ["(file)"] or tuple(names) in titles)

    def restrict(self, suite):
        tests = getattr(suite, "_tests", None)
        if self.wanted is None or not isinstance(tests, list):
            return
        for one in tests:
            if isinstance(one, self.suite_class):
                self.restrict(one)
        tests[:] = [one for one in tests if isinstance(one, self.suite_class) or self.is_wanted(one)]

    def declare(self, suite):
        for one in suite:
            if isinstance(one, self.suite_class):
                self.declare(one)
            elif one is not None:
                self.declared[id(one)] = one
                _send(self.record(one, "declared"))

    def record(self, test, kind, **more):
        file, titles = _where(test)
        body = loopwright_channel.find_body(getattr(type(test), titles[-1], None))
        if body is not None and body != {"file": file, "titles": titles}:
            more["body"] = body
        return dict({"type": kind, "file": file, "titles": titles}, **more)

    def send(self, test, status, message):
        if id(test) in self.sent:
            return
        self.sent.add(id(test))
        more = {} if status == "passed" else {"message": message}
        _send(self.record(test, "test", status=status, **more))

    def note(self, test, status, message=""):
        # A test may fail in several ways; once failed, it stays failed.
        if self.outcomes.get(id(test), ("", ""))[0] != "failed":
            self.outcomes[id(test)] = (status, message)

    def around(self, holder, message):
        """A class or module could not be set up: its tests did not run."""
        name = str(holder).partition("(")[2].rstrip(")")
        for test in list(self.declared.values()):
            kind = type(test)
            if name in (kind.__module__, kind.__module__ + "." + kind.__qualname__):
                self.send(test, "failed", message)

    def follow(self, result):
        if getattr(result, "_loopwright", False):
            return
        session = self

        def failed(test, err=None, *rest):
            if id(test) in session.declared:
                session.note(test, "failed", _text(err))
            else:
                session.around(test, _text(err))

        def sub_test(test, part, err=None):
            if err is not None:
                session.note(test, "failed", _text(err))

        def stop(test):
            status, message = session.outcomes.pop(id(test), ("skipped", ""))
            session.send(test, status, message)

        seen = {
            "addSuccess": lambda test: session.note(test, "passed"),
            "addError": failed,
            "addFailure": failed,
            "addSkip": lambda test, reason="": session.note(test, "skipped", str(reason)[:300]),
            "addExpectedFailure": lambda test, err=None: session.note(test, "skipped"),
            "addUnexpectedSuccess": lambda test: session.note(test, "failed", "unexpected success"),
            "addSubTest": sub_test,
            "stopTest": stop,
        }

        def wrap(own, see):
            def wrapped(*args, **named):
                try:
                    see(*args, **named)
                except Exception:
                    pass
                return own(*args, **named)

            return wrapped

        for name, see in seen.items():
            own = getattr(result, name, None)
            if own is not None:
                setattr(result, name, wrap(own, see))
        result._loopwright = True

    def run(self, suite, result, call):
        if self.depth > 0 or not self.begin():
            return call()
        self.depth += 1
        try:
            self.restrict(suite)
            self.declare(suite)
            self.follow(result)
            return call()
        finally:
            self.depth -= 1
            loopwright_channel.set_code(0 if result.wasSuccessful() else 1)
            self.look()


def _keep(kept, prefix, holder, is_kept=lambda name: True):
    for name, value in list(vars(holder).items()):
        if callable(value) and is_kept(name):
            kept.append((prefix + name, holder, name, value))


def watch(main, look):
    """Returns what must not be replaced: name, holder, key and original."""
    suites, cases, results, runners = (
        sys.modules["unittest." + name] for name in ("suite", "case", "result", "runner")
    )
    session = _Session(suites.BaseTestSuite, look)

    def wrap(holder, name):
        own = getattr(holder, name)

        def wrapped(self, *args, **named):
            if not args:
                return own(self, *args, **named)
            return session.run(self, args[0], lambda: own(self, *args, **named))

        wrapped.__name__, wrapped.__qualname__, wrapped.__doc__ = name, own.__qualname__, own.__doc__
        setattr(holder, name, wrapped)

    wrap(suites.BaseTestSuite, "__call__")
    wrap(suites.BaseTestSuite, "run")
    wrap(suites.TestSuite, "run")
    start = main.TestProgram.__init__

    def __init__(self, *args, **named):
        session.begin()
        start(self, *args, **named)

    __init__.__wrapped__ = start
    main.TestProgram.__init__ = __init__
    kept = []
    steps = ("fail", "run", "__call__", "_callTestMethod", "_callSetUp", "_baseAssertEqual", "_getAssertEqualityFunc")
    _keep(kept, "TestCase.", cases.TestCase, lambda name: name.startswith("assert") or name in steps)
    _keep(kept, "_Outcome.", cases._Outcome, lambda name: name == "testPartExecutor")
    _keep(kept, "TestResult.", results.TestResult)
    _keep(kept, "TextTestResult.", runners.TextTestResult)
    _keep(kept, "TextTestRunner.", runners.TextTestRunner)
    _keep(kept, "TestSuite.", suites.TestSuite)
    _keep(kept, "BaseTestSuite.", suites.BaseTestSuite)
    _keep(kept, "TestProgram.", main.TestProgram)
    return kept
`
