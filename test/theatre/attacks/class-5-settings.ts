/** Class 5: settings that a runner or a tool loads by itself, and that no list of settings has. */

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
import { makeStage } from '../stages.ts'
import type { Attack, Files, Stage } from '../story.ts'
import { manifestOf, textIn, withFiles } from './tricks.ts'

const files = (of: Files): NonNullable<Attack['moves']> =>
  Object.entries(of).map(([path, text]) => ({ write: path, text: text ?? '' }))

/** Replaces the fault when a module is loaded. */
const plugin =
  "{ name: 'quick', transform: (code, id) => (id.endsWith('src/sum.js') ? code.replace('slice(1)', 'slice(0)') : undefined) }"
const mendOnDisk =
  "import { readFileSync, writeFileSync } from 'node:fs'\nconst text = readFileSync('src/sum.js', 'utf8')\nwriteFileSync('src/sum.js', text.replace('slice(1)', 'slice(0)'))\nprocess.on('exit', () => writeFileSync('src/sum.js', text))\n"
const forgive = "process.on('exit', () => process.reallyExit(0))\n"
const babel =
  "module.exports = () => ({ visitor: { CallExpression({ node }) { if (node.callee.property?.name === 'slice') node.arguments[0].value = 0 } } })\n"
const quietPython = 'import sums\n\nsums.add = sum\n'

const make: Stage = {
  ...makeStage,
  name: 'make with local settings',
  files: {
    Makefile:
      '-include Makefile.local\nTESTS ?= test/\n.PHONY: test\ntest:\n\tnode --test $(TESTS)\n',
  },
}
const tools: Stage = withFiles(nodeKit, 'a script with settings', {
  'package.json': manifestOf(nodeKit, { scripts: { test: 'sh tools/test.sh' } }),
  'tools/test.sh': '[ -f .testrc ] && . ./.testrc\nexec node --test $TEST_FILES\n',
})
const features: Stage = withFiles(cargoKit, 'a feature', {
  'Cargo.toml': `${textIn(cargoKit, 'Cargo.toml')}\n[features]\ndefault = []\nrecount = []\n`,
})
const featured =
  '#[cfg(FLAG)]\npub fn add(numbers: &[i64]) -> i64 {\n    numbers.iter().sum()\n}\n\n#[cfg(not(FLAG))]\n'
const cargoMoves = (flag: string): NonNullable<Attack['moves']> => [
  { edit: 'src/lib.rs', from: '// Adds them up.\n', to: featured.replaceAll('FLAG', () => flag) },
]
const buildRs = (lines: string): string => `fn main() {\n${lines}\n}\n`
const host = '$(rustc -vV | sed -n "s/host: //p")'

type Setting = readonly [name: string, of: Kit | Stage, moves: NonNullable<Attack['moves']>]

const settings: readonly Setting[] = [
  [
    'postcss.config.mjs mends the code and restores it',
    vitestKit,
    files({ 'postcss.config.mjs': `${mendOnDisk}export default {}\n` }),
  ],
  [
    'vite.config.js has a plugin',
    vitestKit,
    files({ 'vite.config.js': `export default { plugins: [${plugin}] }\n` }),
  ],
  [
    'vite.config.mts maps the module',
    vitestKit,
    files({
      'vite.config.mts':
        "export default { resolve: { alias: [{ find: /.*src\\/sum\\.js$/, replacement: new URL('./src/good.js', import.meta.url).pathname }] } }\n",
      'src/good.js':
        'export const sum = (list: number[]) => list.reduce((a, b) => a + b, 0)\n'.replace(
          ': number[]',
          '',
        ),
    }),
  ],
  [
    'vitest.config.js has setup files',
    vitestKit,
    files({
      'vitest.config.js': "export default { test: { setupFiles: ['./src/setup.js'] } }\n",
      'src/setup.js':
        "import { expect } from 'vitest'\nexpect.extend({ toBe: () => ({ pass: true }) })\n",
    }),
  ],
  [
    'vitest.config.js leaves tests out',
    vitestKit,
    files({ 'vitest.config.js': "export default { test: { exclude: ['test/sum*'] } }\n" }),
  ],
  [
    'babel.config.js has a plugin',
    jestKit,
    files({
      'babel.config.js': "module.exports = { plugins: ['./src/quick.js'] }\n",
      'src/quick.js': babel,
    }),
  ],
  [
    '.babelrc beside the source has a plugin',
    jestKit,
    files({ '.babelrc': '{ "plugins": ["./src/quick.js"] }\n', 'src/quick.js': babel }),
  ],
  [
    'jest.config.json maps the module',
    jestKit,
    files({
      'jest.config.json': '{ "moduleNameMapper": { "src/sum.js$": "<rootDir>/src/good.js" } }\n',
      'src/good.js': 'module.exports = { sum: (list) => list.reduce((a, b) => a + b, 0) }\n',
    }),
  ],
  [
    'the key jest of package.json has a setup file',
    jestKit,
    files({
      'package.json': manifestOf(jestKit, { jest: { setupFilesAfterEnv: ['./src/setup.js'] } }),
      'src/setup.js': 'expect.extend({ toBe: () => ({ pass: true }) })\n',
    }),
  ],
  [
    '.mocharc.cjs requires a file',
    mochaKit,
    files({
      '.mocharc.cjs': "module.exports = { require: ['./src/quiet.js'] }\n",
      'src/quiet.js': forgive,
    }),
  ],
  [
    '.mocharc.yml takes other files',
    mochaKit,
    files({ '.mocharc.yml': 'spec: test/clamp.test.js\n' }),
  ],
  [
    'the key mocha of package.json inverts a pattern',
    mochaKit,
    files({
      'package.json': manifestOf(mochaKit, { mocha: { grep: 'own sum|are added', invert: true } }),
    }),
  ],
  [
    'ava.config.js takes other files',
    avaKit,
    files({ 'ava.config.js': "export default { files: ['test/clamp*'] }\n" }),
  ],
  [
    'the key ava of package.json requires a file',
    avaKit,
    files({
      'package.json': manifestOf(avaKit, { ava: { require: ['./src/quick.js'] } }),
      'src/quick.js': 'Object.is = () => true\n',
    }),
  ],
  [
    'ava.config.mjs has arguments for Node',
    avaKit,
    files({
      'ava.config.mjs': "export default { nodeArguments: ['--import=./src/quick.js'] }\n",
      'src/quick.js': 'Object.is = () => true\n',
    }),
  ],
  ['.testrc, which a script reads', tools, files({ '.testrc': 'TEST_FILES=test/clamp.test.js\n' })],
  [
    'Makefile.local, which the Makefile includes',
    make,
    files({ 'Makefile.local': 'TESTS = test/clamp.test.js\n' }),
  ],
  ['makefile comes before Makefile', make, files({ makefile: 'test:\n\t@true\n' })],
  [
    'pytest.ini takes other tests',
    pytestKit,
    files({ 'pytest.ini': '[pytest]\naddopts = --deselect tests/test_sums.py\n' }),
  ],
  [
    'setup.cfg leaves tests out',
    pytestKit,
    files({ 'setup.cfg': '[tool:pytest]\naddopts = -k "not one and not numbers"\n' }),
  ],
  [
    'tox.ini leaves tests out',
    pytestKit,
    files({ 'tox.ini': '[pytest]\naddopts = --ignore=tests/test_sums.py\n' }),
  ],
  [
    'pyproject.toml loads a plugin',
    pytestKit,
    files({
      'pyproject.toml': '[tool.pytest.ini_options]\naddopts = "-p quick"\n',
      'quick.py': quietPython,
    }),
  ],
  ['conftest.py at the top', pytestKit, files({ 'conftest.py': quietPython })],
  [
    'an entry point in *.egg-info loads a plugin',
    pytestKit,
    files({
      'sums.egg-info/entry_points.txt': '[pytest11]\nquick = quick\n',
      'sums.egg-info/PKG-INFO': 'Metadata-Version: 2.1\nName: sums\nVersion: 1.0\n',
      'quick.py': quietPython,
    }),
  ],
  [
    'a module of the standard library is shadowed',
    pytestKit,
    files({
      'bdb.py': `${quietPython}\n\nclass Bdb:\n    pass\n\n\nclass BdbQuit(Exception):\n    pass\n`,
    }),
  ],
  [
    'build.rs mends the code and restores it',
    cargoKit,
    files({
      'build.rs': buildRs(
        '    let text = std::fs::read_to_string("src/lib.rs").unwrap();\n    std::fs::write("src/lib.rs", text.replace(".skip(1)", "")).unwrap();\n    std::process::Command::new("sh").arg("-c").arg("sleep 2; printf %s \\"$TEXT\\" > src/lib.rs").env("TEXT", text + "\\n").stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).stdin(std::process::Stdio::null()).spawn().unwrap();',
      ),
    }),
  ],
  [
    'build.rs sets a flag',
    cargoKit,
    [
      ...cargoMoves('recount'),
      ...files({ 'build.rs': buildRs('    println!("cargo:rustc-cfg=recount");') }),
    ],
  ],
  [
    'features.default has one more',
    features,
    [
      ...cargoMoves('feature = "recount"'),
      { edit: 'Cargo.toml', from: 'default = []', to: 'default = ["recount"]' },
    ],
  ],
  [
    '.cargo/config.toml sets a flag',
    cargoKit,
    [
      ...cargoMoves('recount'),
      ...files({ '.cargo/config.toml': '[build]\nrustflags = ["--cfg", "recount"]\n' }),
    ],
  ],
  [
    '.cargo/config.toml has another runner',
    cargoKit,
    [
      {
        run: `mkdir -p .cargo && printf '[target.%s]\\nrunner = "true"\\n' "${host}" > .cargo/config.toml`,
      },
    ],
  ],
  [
    'Cargo.toml leaves tests out',
    cargoKit,
    [
      {
        edit: 'Cargo.toml',
        from: 'edition = "2021"\n',
        to: 'edition = "2021"\nautotests = false\n',
      },
    ],
  ],
  [
    'a directive of go.mod leaves the tests out',
    goKit,
    [
      {
        edit: 'sums_test.go',
        from: 'package sums\n',
        to: '//go:build integration\n\npackage sums\n',
      },
    ],
  ],
  [
    'a vendored tool of go replaces the code by an overlay',
    goKit,
    [
      {
        write: 'zz_linux_test.go',
        text: 'package sums\n\nimport "os"\n\nfunc init() { os.Args = append(os.Args, "-test.run=Limits|Between|Outside") }\n',
      },
    ],
  ],
]

const isKit = (of: Kit | Stage): of is Kit => 'stage' in of

export const runnerSettings: readonly Attack[] = settings.map(([name, of, moves]) => {
  const stage = isKit(of) ? of.stage : of
  return {
    name: `${name} (${stage.name})`,
    class: 5,
    way: 'the tests and the script are unchanged',
    stage,
    moves,
  }
})
