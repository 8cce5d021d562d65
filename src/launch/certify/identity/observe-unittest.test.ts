import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Observation, ObserveOptions } from '../../../evidence/index.ts'
import { type CommandObserver, observeCommands } from '../../../testing/observe-commands.ts'

let observer: CommandObserver
let folder: string

beforeAll(async () => {
  observer = await observeCommands()
  folder = await realpath(await mkdtemp(join(tmpdir(), 'loopwright-unittest-')))
})

afterAll(async () => {
  await observer.close()
  await rm(folder, { recursive: true, force: true })
})

async function observe(
  files: Readonly<Record<string, string>>,
  command: readonly string[],
  options: ObserveOptions = {},
): Promise<Observation> {
  const workspace = await mkdtemp(join(folder, 'project-'))
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(workspace, name)), { recursive: true })
    await writeFile(join(workspace, name), content)
  }
  return observer.observe(workspace, command, options)
}

const lines = ({ tests }: Observation): readonly string[] | undefined =>
  tests?.map(({ id, status }) => `${status} ${id}`).toSorted()

const tests = `import unittest


class Adds(unittest.TestCase):
    def test_x(self):
        self.assertEqual(1, 1)

    def test_y(self):
        self.assertEqual(1, 2)

    @unittest.skip('later')
    def test_k(self):
        pass

    @unittest.expectedFailure
    def test_e(self):
        self.fail()

    def test_parts(self):
        for n in (1, 2):
            with self.subTest(n=n):
                self.assertEqual(n, 1)


class More(Adds):
    test_x = None
    test_parts = None


class Unset(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise RuntimeError('no database')

    def test_z(self):
        pass


if __name__ == '__main__':
    unittest.main()
`
const ofFile = [
  'failed tests/test_a.py > Adds > test_parts',
  'failed tests/test_a.py > Adds > test_y',
  'failed tests/test_a.py > More > test_y',
  'failed tests/test_a.py > Unset > test_z',
  'passed tests/test_a.py > Adds > test_x',
  'skipped tests/test_a.py > Adds > test_e',
  'skipped tests/test_a.py > Adds > test_k',
  'skipped tests/test_a.py > More > test_e',
  'skipped tests/test_a.py > More > test_k',
]
const project = {
  'tests/__init__.py': '',
  'tests/test_a.py': tests,
  'tests/test_broken.py': 'import missing\n',
}
const discover = ['python3', '-m', 'unittest', 'discover', '-s', 'tests', '-t', '.']
const small = (code: string): Readonly<Record<string, string>> => ({
  'product.py': `${code}\n\ndef add(a, b):\n    return a + b\n`,
  'test_a.py': `import unittest
from product import add


class Adds(unittest.TestCase):
    def test_x(self):
        self.assertEqual(add(1, 2), 3)


if __name__ == '__main__':
    unittest.main()
`,
})

describe('unittest', () => {
  test('reports its tests, and files that do not load', async () => {
    const seen = await observe(project, discover)
    expect(lines(seen)).toEqual([...ofFile, 'failed tests/test_broken.py > (file)'].toSorted())
    expect(seen.runners).toEqual([{ name: 'unittest', exitCode: 1 }])
    expect(seen.problems).toEqual([])
    expect(seen.replaced).toEqual([])
    const failed = seen.tests?.find(({ id }) => id.endsWith('test_y'))
    expect(failed?.message).toContain('1 != 2')
    const inherited = seen.tests?.find(({ id }) => id.endsWith('More > test_y'))
    expect(inherited?.body).toEqual({ file: 'tests/test_a.py', titles: ['Adds', 'test_y'] })
  })

  test('reports as a program and under a runner of the project, in another environment', async () => {
    const seen = await observe(project, ['python3', 'tests/test_a.py'], { environment: 'other' })
    expect(lines(seen)).toEqual(ofFile)
    const runner = `import unittest


class Quiet(unittest.TextTestResult):
    def addSuccess(self, test):
        pass


suite = unittest.defaultTestLoader.loadTestsFromName('tests.test_a')
raise SystemExit(not unittest.TextTestRunner(resultclass=Quiet).run(suite).wasSuccessful())
`
    const own = await observe({ ...project, 'run.py': runner }, ['python3', 'run.py'])
    expect(lines(own)).toEqual(ofFile)
  })

  test('runs only the wanted tests', async () => {
    const all = await observe(project, discover)
    const only = all.tests?.filter(({ id }) => id.endsWith('Adds > test_y')) ?? []
    const some = await observe(project, discover, { only })
    expect(lines(some)).toEqual(['failed tests/test_a.py > Adds > test_y'])
  })

  test('is not reported by other programs, and leaves their sitecustomize alone', async () => {
    const files = {
      'site/sitecustomize.py': "import builtins\nbuiltins.mine = 'mine'\n",
      'a.py': 'import sitecustomize, unittest.mock\nprint(mine, sitecustomize.__file__)\n',
    }
    const shell = 'PYTHONPATH="$PYTHONPATH:site" exec python3 a.py'
    const seen = await observe(files, ['/bin/sh', '-c', shell])
    expect(seen.result.output).toMatch(/^mine .*site\/sitecustomize\.py$/)
    expect([seen.tests, seen.runners, seen.problems]).toEqual([undefined, [], []])
  })

  test('shows nothing of ours in its output, even if all warnings are shown', async () => {
    const seen = await observe(small(''), ['python3', '-W', 'always', '-m', 'unittest'])
    expect(lines(seen)).toEqual(['passed test_a.py > Adds > test_x'])
    expect(seen.result.output).not.toMatch(/warning|sock/i)
  })

  test('reports which files of the tree its code opens, and where that code is', async () => {
    const files = {
      ...small('import shop'),
      'shop.py':
        'import os\ntry:\n  open("a" * 70000)\nexcept OSError:\n  pass\nopen("test_a.py").close()\nos.listdir("data")\nopen(os.devnull).close()\n',
      'data/one.txt': '',
    }
    const { looked, problems } = await observe(files, ['python3', 'test_a.py'])
    expect(problems).toEqual([])
    expect(looked).toEqual(
      expect.arrayContaining([
        { by: 'shop.py', at: 'test_a.py' },
        { by: 'shop.py', at: 'data' },
      ]),
    )
    expect(
      looked?.filter(({ by }) => !['shop.py', 'product.py', 'test_a.py'].includes(by)),
    ).toEqual([])
  })

  test.each([
    [
      'a replaced assertion',
      'import unittest\nunittest.TestCase.assertEqual = print',
      'TestCase.assertEqual',
    ],
    ['a replaced exit', 'import sys\nsys.exit = print', 'sys.exit'],
    ['a replaced builtin', 'import builtins\nbuiltins.sum = max', 'builtins.sum'],
    ['a replaced function of the library', 'import math\nmath.fsum = lambda _: 0', 'math.fsum'],
  ])('reports %s', async (_what, code, name) => {
    const seen = await observe(small(code), ['python3', 'test_a.py'])
    expect(seen.replaced).toEqual([name])
  })

  test.each([['at the end', 'import atexit, os\natexit.register(os._exit, 0)']])(
    'has no end where code under test ends the process %s',
    async (_when, code) => {
      const seen = await observe(small(code), ['python3', '-m', 'unittest'])
      expect(seen.result.status).toBe('met')
      expect(seen.problems.map(({ code: problem }) => problem)).toEqual(['no-end'])
    },
  )
})
