/** The source of the function that compares for a Python test (`restate.ts`), as lines. Requires Python 3.7. */

import type { ChangedFile } from '../test-source.ts'

/** Beyond this, all lines of the file count as changed (E9). */
const rangesMax = 500

/**
 * Raises if the comparison does not hold, or if code in changed lines of the work decides it. Returns both values, which
 * are truthy together. Does not use the names of types, which could be replaced: `().__class__.__class__` is `type`.
 */
export const restatingFunction = (
  name: string,
  marker: string,
  work: readonly ChangedFile[],
): readonly string[] =>
  source
    .replace('NAME', name)
    .replace('MARKER', () => JSON.stringify(marker))
    .replace('CHANGED', () => changedText(work))
    .trim()
    .split('\n')

function changedText(work: readonly ChangedFile[]): string {
  const files = work
    .filter(({ path }) => path.endsWith('.py'))
    .map(({ path, lines }) => {
      const ranges = toRanges(lines)
      const text = ranges.length > rangesMax ? '(1, 10**9),' : ranges.join(' ')
      return `${JSON.stringify(path.split('/').slice(-2).join('/'))}: [${text}],`
    })
  return `{${files.join(' ')}}`
}

function toRanges(lines: ReadonlySet<number>): readonly string[] {
  const ranges: [number, number][] = []
  for (const line of [...lines].toSorted((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last !== undefined && last[1] === line - 1) last[1] = line
    else ranges.push([line, line])
  }
  return ranges.map(([from, to]) => `(${from}, ${to}),`)
}

const source = `
def NAME(sign, a, b):
    import dis, operator
    changed = CHANGED
    kind = ().__class__.__class__
    mro = lambda one: kind.__dict__["__mro__"].__get__(one)
    space = lambda one: kind.__dict__["__dict__"].__get__(one)
    numbers = ("__sub__", "__rsub__", "__abs__", "__float__", "__array__", "__array_ufunc__")
    orders = ("__lt__", "__le__", "__gt__", "__ge__")
    plain = (list, tuple, dict, set, frozenset)
    def generated(code, owner):
        fields = space(owner).get("__dataclass_fields__") or [one.name for one in space(owner).get("__attrs_attrs__", ())]
        names = set(fields) | {"__class__", "NotImplemented", "isinstance", "type"}
        return bool(fields) and set(code.co_names) <= names and all(one is None or kind(one) in (bool, str) for one in code.co_consts)
    def mine(code, owner):
        file = code.co_filename
        if file.startswith("<") and not file.startswith("<frozen "):
            return not generated(code, owner)
        lines = {line for _, line in dis.findlinestarts(code) if line} | {code.co_firstlineno}
        return any(("/" + file).endswith("/" + path) and any(low <= line <= high for low, high in ranges for line in lines) for path, ranges in changed.items())
    def decides(answer, owner, wanted=None, depth=0):
        outer = kind(answer).__name__
        answer = getattr(answer, "__func__", answer)
        inner = kind(answer).__name__
        if inner in ("wrapper_descriptor", "method_descriptor"):
            return answer.__name__ != wanted
        if inner in ("builtin_function_or_method", "method-wrapper") or kind in mro(kind(answer)):
            return outer != "instancemethod"
        code = getattr(answer, "__code__", None)
        if kind(code).__name__ == "code":
            return mine(code, owner)
        if kind(answer).__module__ == "unittest.mock":
            return True
        inner = getattr(answer, "func", None) or getattr(answer, "fget", None) or next((space(one)["__call__"] for one in mro(kind(answer)) if "__call__" in space(one)), None)
        return depth < 3 and inner is not None and decides(inner, owner, None, depth + 1)
    def own(value, names):
        for wanted in names:
            for one in mro(kind(value)):
                if wanted in space(one):
                    if decides(space(one)[wanted], one, wanted):
                        return True
                    break
        return kind(value).__module__ == "unittest.mock" or "Proxy" in kind(value).__name__ and kind(value).__module__ == "weakref"
    def parts(value, depth=0):
        yield value
        if kind(value) in plain and depth < 4:
            for one in list(value.values() if kind(value) is dict else value)[:200]:
                yield from parts(one, depth + 1)
    def fields(value):
        found = {}
        for one in mro(kind(value)):
            slots = space(one).get("__slots__", ())
            for slot in (slots,) if kind(slots) is str else slots:
                if slot not in ("__dict__", "__weakref__"):
                    found[slot] = object.__getattribute__(value, slot) if hasattr(value, slot) else None
        try:
            found.update(object.__getattribute__(value, "__dict__"))
        except AttributeError:
            pass
        return found
    def same(x, y, depth=0):
        if depth > 6 or x is y:
            return True
        if kind(x) is kind(y) and kind(x) in (list, tuple):
            return len(x) == len(y) and all(same(p, q, depth + 1) for p, q in zip(x, y))
        if kind(x) is kind(y) and kind(x) is dict:
            return len(x) == len(y) and all(key in y and same(x[key], y[key], depth + 1) for key in x)
        if not own(x, ("__eq__",)) and not own(y, ("__eq__",)):
            return bool(x == y)
        if kind(x) is not kind(y):
            return False
        for base in (int, float, str, bytes, list, tuple, dict, set, frozenset):
            if base in mro(kind(x)):
                return base.__eq__(x, y) is True
        p, q = fields(x), fields(y)
        return len(p) > 0 and p.keys() == q.keys() and all(same(p[key], q[key], depth + 1) for key in p)
    def holds():
        if sign == "~" or "approx" in kind(b).__module__ or kind(b).__name__.startswith("Approx"):
            return (sign != "==" or a == b) and not any(own(one, numbers + orders + ("__eq__",)) for one in parts(a))
        if sign == "==":
            return a == b and same(a, b)
        if sign == "in":
            return a in b and (kind(b) not in plain or any(one is a or one == a and same(one, a) for one in b))
        if sign == "isinstance":
            return isinstance(a, b) and (kind(b) is not kind or b in mro(kind(a)))
        signs = {"!=": operator.ne, "is": operator.is_, "is not": operator.is_not, "not in": lambda x, y: x not in y}
        if sign in signs:
            return signs[sign](a, b)
        answer = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}[sign](a, b)
        return answer and (kind(a) is kind(b) or not own(a, orders) and not own(b, orders))
    if not holds():
        raise AssertionError(MARKER)
    return a, b
`
