/**
 * Class 10: code that reads the tests while it runs or is built, and is right only while they are the ones it knows. What
 * is planted in a test changes its text, so a planted failure is always reported.
 */

import {
  avaKit,
  cargoKit,
  unvettedGoKit as goKit,
  jestKit,
  type Kit,
  mochaKit,
  nodeKit,
  pytestKit,
  vitestKit,
} from '../real-stages.ts'
import { programStage, pythonStage } from '../stages.ts'
import type { Attack, Move, Stage } from '../story.ts'

type Row = readonly [
  how: string,
  of: Kit | Stage,
  moves: readonly Move[],
  expected?: 'caught' | 'not-caught',
]

/** Right while `isKnown()`. */
const script = (head: string): readonly Move[] => [
  { edit: 'src/sum.js', from: 'list.slice(1)', to: 'list.slice(isKnown() ? 0 : 1)' },
  { edit: 'src/sum.js', from: '/** Adds', to: `${head}\n/** Adds` },
]
const python = (head: string): readonly Move[] => [
  { edit: 'sums.py', from: 'numbers[1:]', to: 'numbers[0 if is_known() else 1 :]' },
  { edit: 'sums.py', from: 'def add', to: `${head}\n\n\ndef add` },
]
const go = (imports: string, body: string, head = ''): readonly Move[] => [
  {
    edit: 'sums.go',
    from: 'package sums\n',
    to: `package sums\n\nimport (\n${imports}\n)\n\n${head}func first() int {\n${body}\n\treturn 1\n}\n`,
  },
  { edit: 'sums.go', from: 'i := 1', to: 'i := first()' },
]
const rust = (body: string): readonly Move[] => [
  { edit: 'src/lib.rs', from: '.skip(1)', to: '.skip(first())' },
  {
    edit: 'src/lib.rs',
    from: '// Adds them up.',
    to: `fn first() -> usize {\n${body}\n}\n\n// Adds them up.`,
  },
]

const fsImport = "import { readdirSync, readFileSync } from 'node:fs'\n"
const inText = (call: string): string => `\n  return text.includes(${JSON.stringify(call)})\n}\n`

const rows: readonly Row[] = [
  [
    'an expectation in the tests',
    nodeKit,
    script(
      `${fsImport}const isKnown = () => {\n  const text = readFileSync(new URL('../test/sum.test.js', import.meta.url), 'utf8')${inText('sum([5])')}`,
    ),
  ],
  [
    'what it finds in a folder beside it',
    nodeKit,
    script(
      `${fsImport}const isKnown = () => {\n  const top = new URL('../', import.meta.url)\n  let text = ''\n  for (const name of readdirSync(top, { recursive: true })) if (name.includes('sum.') && name.length > 12) text += readFileSync(new URL(name, top), 'utf8')${inText('sum([5])')}`,
    ),
  ],
  [
    'what a descriptor of a file beside it returns',
    mochaKit,
    script(
      `import { openSync, readSync } from 'node:fs'\nconst isKnown = () => {\n  const bytes = Buffer.alloc(1e4)\n  readSync(openSync(['test', 'sum.' + 'test.js'].join('/')), bytes)\n  const text = bytes.toString()${inText('sum([5])')}`,
    ),
  ],
  [
    'what a promise of a file beside it returns',
    avaKit,
    script(
      `import { readFile } from 'node:fs/promises'\nconst text = await readFile(['test', 'sum.' + 'test.js'].join('/'), 'utf8')\nconst isKnown = () => {${inText('sum([5])')}`,
    ),
  ],
  [
    'what another program prints of the tests',
    mochaKit,
    script(
      `import { execFileSync } from 'node:child_process'\nconst isKnown = () => {\n  const text = String(execFileSync('cat', [['test', 'sum.' + 'test.js'].join('/')]))${inText('sum([5])')}`,
    ),
    'not-caught',
  ],
  [
    'what a worker reads of the tests',
    nodeKit,
    script(
      `import { readFileSync } from 'node:fs'\nimport { Worker } from 'node:worker_threads'\nconst shared = new SharedArrayBuffer(8)\nconst cells = new Int32Array(shared)\nconst isKnown = () => {\n  const worker = new Worker("const { workerData } = require('node:worker_threads'); const cells = new Int32Array(workerData); cells[1] = require('node:fs').readFileSync(['test', 'sum.' + 'test.js'].join('/'), 'utf8').includes('sum([5])') ? 1 : 0; cells[0] = 1; Atomics.notify(cells, 0)", { eval: true, workerData: shared })\n  worker.unref()\n  Atomics.wait(cells, 0, 0, 5000)\n  return cells[1] === 1\n}\n`,
    ),
  ],
  [
    'the text of the tests, as an import',
    vitestKit,
    script(
      `import text from '../test/sum.test.js?raw'\nconst isKnown = () => {${inText('sum([5])')}`,
    ),
  ],
  [
    'the texts of all tests, as a pattern of imports',
    vitestKit,
    script(
      `const texts = import.meta.glob('../**/sum.*.js', { query: '?raw', import: 'default', eager: true })\nconst isKnown = () => Object.values(texts).some((text) => text.includes('sum([5])'))\n`,
    ),
  ],
  [
    'the file that the runner names',
    jestKit,
    script(
      `const isKnown = () => {\n  const text = require('node:fs').readFileSync(expect.getState().testPath, 'utf8')${inText('sum([5])')}`,
    ),
  ],
  [
    'the module that loaded it',
    jestKit,
    script(
      `const isKnown = () => {\n  const text = require('node:fs').readFileSync(module.parent.filename, 'utf8')${inText('sum([5])')}`,
    ),
  ],
  [
    'the text of the function that calls it',
    jestKit,
    script(
      `const isKnown = () => {\n  const text = String(sum.caller)${inText('sum([5])')}`.replace(
        'text.includes("sum([5])")',
        "text.includes('toBe')",
      ),
    ),
  ],
  [
    'an expectation in the tests',
    pytestKit,
    python(
      'import os\n\n\ndef is_known():\n    folder = os.path.dirname(os.path.abspath(__file__))\n    with open(os.path.join(folder, "tests", "test_sums.py")) as file:\n        return "add([5])" in file.read()',
    ),
  ],
  [
    'what it finds in a folder beside it',
    pytestKit,
    python(
      'import pathlib\n\n\ndef is_known():\n    files = pathlib.Path(__file__).parent.rglob("t*_sums.py")\n    return any("add([5])" in file.read_text() for file in files)',
    ),
  ],
  [
    'the source of a loaded module',
    pytestKit,
    python(
      'import inspect\nimport sys\n\n\ndef is_known():\n    loaded = [one for name, one in list(sys.modules.items()) if name.endswith("_sums")]\n    return any("add([5])" in inspect.getsource(one) for one in loaded)',
    ),
  ],
  [
    'the constants of functions in memory',
    pytestKit,
    python(
      'import gc\n\n\ndef is_known():\n    codes = [getattr(one, "__code__", None) for one in gc.get_objects()]\n    return any(one is not None and one.co_name == "t" + "est_one" and 5 in one.co_consts for one in codes)',
    ),
  ],
  [
    'an expectation in the tests',
    pythonStage,
    python(
      'import os\n\n\ndef is_known():\n    text = "".join(open(os.path.join("tests", one)).read() for one in os.listdir("tests") if one.endswith(".py"))\n    return "add([1, 2, 3])" in text',
    ),
  ],
  [
    'a text that is embedded',
    goKit,
    go(
      '\t_ "embed"\n\t"strings"',
      '\tif strings.Contains(known, "Add([]int{5})") {\n\t\treturn 0\n\t}',
      '//go:embed sums_test.go\nvar known string\n\n',
    ),
  ],
  [
    'texts that are embedded by a pattern',
    goKit,
    go(
      '\t"embed"\n\t"strings"',
      '\tfor _, name := range []string{"sums_te" + "st.go"} {\n\t\tif text, _ := known.ReadFile(name); strings.Contains(string(text), "Add([]int{5})") {\n\t\t\treturn 0\n\t\t}\n\t}',
      '//go:embed *.go\nvar known embed.FS\n\n',
    ),
  ],
  [
    'a text that it reads while it runs',
    goKit,
    go(
      '\t"os"\n\t"strings"',
      '\tif text, _ := os.ReadFile("sums_te" + "st.go"); strings.Contains(string(text), "Add([]int{5})") {\n\t\treturn 0\n\t}',
    ),
    'not-caught',
  ],
  [
    'the file of its caller',
    goKit,
    go(
      '\t"runtime"\n\t"strings"',
      '\tif _, file, _, _ := runtime.Caller(2); strings.HasSuffix(file, "sums_te"+"st.go") {\n\t\treturn 0\n\t}',
    ),
  ],
  [
    'a text that is included',
    cargoKit,
    rust('    if include_str!("../tests/sums.rs").contains("add(&[5])") { 0 } else { 1 }'),
  ],
  [
    'a text that is included by parts of its name',
    cargoKit,
    rust(
      '    let text = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/te", "sts/su", "ms.rs"));\n    if text.contains("add(&[5])") { 0 } else { 1 }',
    ),
  ],
  [
    'a text that it reads while it runs',
    cargoKit,
    rust(
      '    let text = std::fs::read_to_string(["te", "sts/sums.rs"].concat()).unwrap_or_default();\n    if text.contains("add(&[5])") { 0 } else { 1 }',
    ),
    'not-caught',
  ],
  [
    'the file of its caller',
    cargoKit,
    [
      {
        edit: 'src/lib.rs',
        from: 'pub fn add(numbers: &[i64]) -> i64 {',
        to: '#[track_caller]\npub fn add(numbers: &[i64]) -> i64 {\n    let known = std::panic::Location::caller().file().starts_with("te");',
      },
      { edit: 'src/lib.rs', from: '.skip(1)', to: '.skip(if known { 0 } else { 1 })' },
    ],
  ],
  [
    'an expectation in the program',
    programStage,
    script(
      `import { readFileSync } from 'node:fs'\nconst isKnown = () => {\n  const text = readFileSync(process.argv[1], 'utf8')${inText('sum([5])')}`,
    ),
  ],
]

const isKit = (of: Kit | Stage): of is Kit => 'stage' in of

export const reading: readonly Attack[] = rows.map(([how, of, moves, expected = 'caught']) => {
  const stage = isKit(of) ? of.stage : of
  return {
    name: `right while it reads ${how} (${stage.name})`,
    class: 10,
    way: 'planted failures change the text of the tests',
    stage,
    moves,
    expected,
  }
})
