/**
 * Loaded by every Python process of a check on startup, as `sitecustomize`. It then loads the module of that name that
 * Python would have loaded otherwise. Requires Python 3.7; an older one only loads the other module.
 */
export const pythonStart = `"""Reports the tests of unittest and replaced functions to the engine."""
import sys


def _load_other():
    import os
    from _frozen_importlib import module_from_spec
    from _frozen_importlib_external import PathFinder

    own = os.path.dirname(os.path.abspath(__file__))
    spec = PathFinder.find_spec("sitecustomize", [one for one in sys.path if os.path.abspath(one) != own])
    if spec is not None and spec.loader is not None:
        module = module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


class _Finder:
    """Runs our code once unittest is imported, before its importer continues."""

    def __init__(self, then):
        self.then = then

    def find_spec(self, name, path=None, target=None):
        if name != "unittest.main":
            return None
        from _frozen_importlib_external import PathFinder

        sys.meta_path.remove(self)
        spec = PathFinder.find_spec(name, path)
        if spec is None or spec.loader is None:
            return None
        load, then = spec.loader.exec_module, self.then

        def exec_module(module):
            load(module)
            then(module)

        spec.loader.exec_module = exec_module
        return spec


def _watch(os, tell, touched, loaded):
    """
    Reports which files of the tree its code opens, by the innermost file of the tree on the stack; and notes which of
    them reach the memory of the process, in which tests and what they expect are objects, and which of them Python
    can find as a module of the highest level.
    """
    if not hasattr(sys, "addaudithook"):
        return
    top, most, sep = os.getcwd() + os.sep, 500, os.sep
    seen, busy, located = {}, [], {}
    frame_of, join, normalize = sys._getframe, os.path.join, os.path.normpath
    ways = ("ctypes", "_ctypes", "cffi", "_cffi_backend")
    opens = ("open", "os.listdir", "os.scandir")
    others = ("import", "object.__setattr__")

    def find(name):
        # Most files are elsewhere, and named as they are.
        if name[:1] == sep and not name.startswith(top) and sep + sep not in name and sep + "." not in name:
            return None
        path = normalize(join(top, name))
        return path if (path + sep).startswith(top) and "-packages" + sep not in path else None

    def locate(code):
        name = code.co_filename
        if name not in located:
            if len(located) > 10000:
                located.clear()
            located[name] = None if name.startswith("<") else find(name)
        return located[name]

    def note_module(at):
        head, _, name = at.rpartition(sep)
        if name == "__init__.py":
            head, _, name = head.rpartition(sep)
        if head in sys.path or (head + sep == top and ("" in sys.path or "." in sys.path)):
            loaded.add(name.split(".")[0])

    def look(at):
        at = find(at)
        if at is not None and at.endswith(".py") and len(loaded) < 10000:
            note_module(at)
        frame = frame_of(2) if at is not None else None
        while frame is not None:
            by = locate(frame.f_code)
            if by is not None:
                break
            frame = frame.f_back
        if frame is None or by == at:
            return
        known = seen.setdefault(by, set())
        if at in known or len(known) > most:
            return
        known.add(at)
        busy.append(True)
        tell(by, "*" if len(known) > most else at)

    def touch(what):
        if len(touched) > 100:
            return
        frame = frame_of(2)
        while frame is not None:
            name = frame.f_code.co_filename
            if not name.startswith("<") and "%sctypes%s" % (sep, sep) not in name:
                break
            frame = frame.f_back
        # What installed packages do is theirs.
        path = "" if frame is None else normalize(join(top, name))
        if path.startswith(top) and "-packages" not in path:
            touched.add("the " + what + " of the process, by " + path[len(top) :])

    def hook(event, args):
        # Every event of the interpreter comes here.
        if event not in opens:
            if event not in others and not event.startswith("ctypes."):
                return
        try:
            if event in opens:
                at = args[0].decode() if type(args[0]) is bytes else args[0]
                if type(at) is not str:
                    return
                if event == "open" and at.startswith("/proc/") and at.endswith("/mem"):
                    touch("memory")
                if not busy:
                    try:
                        look(at)
                    finally:
                        del busy[:]
            elif event == "object.__setattr__":
                if args[1] == "__code__":
                    touch("code of functions")
            elif event != "import" or args[0] in ways:
                touch("memory")
        except Exception:
            pass

    sys.addaudithook(hook)


def _find_replaced(top):
    """Functions of the standard library that code of the tree replaced; handlers are meant to be."""
    meant = ("sys", "warnings", "logging", "threading", "signal", "builtins", "__main__")
    names, function, kind = [], type(_start), type(sys)
    for name, module in list(sys.modules.items()):
        # Other objects may run code of the repository when they are looked at.
        held = dict(vars(module)) if type(module) is kind else {}
        spec = held.get("__spec__")
        origin = getattr(spec, "origin", None) or ""
        if spec is None or name in meant or origin.startswith(top) or "-packages" in origin:
            continue
        for key, value in held.items():
            file = value.__code__.co_filename if type(value) is function else ""
            if file.startswith(top) and "-packages" not in file:
                names.append(name + "." + key)
    return names[:100]


def _find_shadowed(os, top, loaded):
    """Modules of Python and installed ones that a file of the tree takes the place of."""
    from _frozen_importlib_external import PathFinder

    def is_installed(path):
        at = os.path.abspath(path) + os.sep
        return not at.startswith(top) or "-packages" + os.sep in at

    outside, names = [one for one in sys.path if one and is_installed(one)], []
    for name in sorted(loaded):
        spec = None if name in sys.builtin_module_names else PathFinder.find_spec(name, outside)
        if name in sys.builtin_module_names or (spec is not None and spec.loader is not None):
            names.append("the module " + name + ", by a file of the same name")
    return names[:100]


def _start():
    import atexit
    import os

    kept = [("sys.exit", sys, "exit", sys.exit), ("os._exit", os, "_exit", os._exit)]
    import builtins

    others = ("_", "breakpoint", "print", "input", "open", "exit", "quit", "help", "__import__", "__build_class__")
    for name, value in list(vars(builtins).items()):
        if callable(value) and name not in others:
            kept.append(("builtins." + name, builtins, name, value))
    last, touched, modules = [], set(), set()
    # Each of these numbers exists once.
    numbers = [str(number) for number in range(-5, 257)]
    pid, own = os.getpid, os.getpid()
    top = os.getcwd() + os.sep

    def look():
        names = [name for name, holder, key, value in kept if holder.__dict__.get(key) is not value]
        names.extend(_find_replaced(top))
        names.extend(sorted(touched))
        names.extend(_find_shadowed(os, top, modules))
        names.extend("the number " + text for text in numbers if str(int(text)) != text)
        if names != last:
            import loopwright_channel

            last[:] = names
            loopwright_channel.send({"type": "replaced", "names": names})

    def loaded(main):
        try:
            import loopwright_unittest

            kept.extend(loopwright_unittest.watch(main, look))
        except Exception:
            pass

    def end():
        if pid() != own:
            return
        look()
        channel = sys.modules.get("loopwright_channel")
        if channel is not None:
            channel.end()

    def tell(by, at):
        import loopwright_channel

        # The system opens no longer paths.
        if len(at) > 4095:
            return
        loopwright_channel.send({"type": "looked", "by": by, "at": at})

    _watch(os, tell, touched, modules)
    # Registered first, so it is called last.
    atexit.register(end)
    sys.meta_path.insert(0, _Finder(loaded))


if sys.version_info >= (3, 7):
    try:
        _start()
    except Exception:
        pass
    _load_other()
`
