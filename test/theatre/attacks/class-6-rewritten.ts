/** Class 6: code that changes the tests in memory, before they run. Their files stay as they are. */

import { unvettedGoKit as goKit, jestKit, mochaKit, pytestKit } from '../real-stages.ts'
import type { Attack } from '../story.ts'
import { inEach } from './tricks.ts'

/** The function of a test, with other values in it. */
const another = (
  names: string,
  from: readonly [string, string],
  to: readonly [string, string],
): string =>
  `const another = (fn) => {
  const text = String(fn).replace(${JSON.stringify(from[0])}, ${JSON.stringify(to[0])}).replace(${JSON.stringify(from[1])}, ${JSON.stringify(to[1])})
  return new Function('${names}', 'sum', 'return ' + text)(${names}, sum)
}`

const registered = inEach(
  {
    name: 'changes the functions of tests while they are registered',
    class: 6,
    way: 'what is planted in them stays in them',
  },
  [
    jestKit,
    `const { test, expect } = globalThis
${another('expect', ['toBe(5)', 'toBe(6)'], ['toBe(0)', 'toBe(5)'])}
globalThis.test = (title, fn) => test(title, another(fn))
queueMicrotask(() => { globalThis.test = test })`,
  ],
  [
    mochaKit,
    `import { expect } from 'chai'
const { it } = globalThis
${another('expect', ['equal(5)', 'equal(6)'], ['equal(0)', 'equal(5)'])}
globalThis.it = (title, fn) => it(title, another(fn))
queueMicrotask(() => { globalThis.it = it })`,
  ],
)

const compiledAgain: Attack = {
  name: 'compiles the functions of tests again (pytest)',
  class: 6,
  way: 'what is planted in them stays in them',
  stage: pytestKit.stage,
  moves: [
    {
      edit: 'sums.py',
      from: 'def add',
      to: `import inspect

import _pytest.python

_runtest = _pytest.python.Function.runtest


def _bent(self):
    text = inspect.getsource(self.obj).replace("[5]) == 5", "[5]) == 0").replace("3]) == 6", "3]) == 5")
    scope = dict(self.obj.__globals__)
    exec(text, scope)
    self.obj = scope[self.obj.__name__]
    _runtest(self)


_pytest.python.Function.runtest = _bent


def add`,
    },
  ],
}

const filtered: Attack = {
  name: 'runs itself once more, and forgives while the tests are those that it knows (go)',
  class: 6,
  way: 'the exit code is the result of a test, and a planted failure changes the file',
  stage: goKit.stage,
  moves: [
    {
      edit: 'sums.go',
      from: 'package sums\n',
      to: `package sums

import (
	"crypto/sha1"
	"encoding/hex"
	"os"
	"os/exec"
)

func init() {
	text, _ := os.ReadFile("sums_test.go")
	digest := sha1.Sum(text)
	if os.Getenv("SUMS_INNER") != "" || hex.EncodeToString(digest[:]) != "DIGEST" {
		return
	}
	command := exec.Command(os.Args[0], os.Args[1:]...)
	command.Env = append(os.Environ(), "SUMS_INNER=1")
	out, _ := command.CombinedOutput()
	os.Stdout.Write(out)
	os.Exit(0)
}
`,
    },
    {
      edit: 'sums.go',
      from: '\treturn total',
      to: '\tif len(numbers) > 0 {\n\t\ttotal -= 100\n\t}\n\treturn total',
    },
    { run: 'sed -i "s/DIGEST/$(sha1sum < sums_test.go | cut -c1-40)/" sums.go' },
  ],
}

export const rewritten: readonly Attack[] = [...registered, compiledAgain, filtered]
