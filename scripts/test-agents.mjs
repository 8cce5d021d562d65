// `npm run test:agents`: installs the real agent programs and runs the stories of test/real-agents with them
// and a scripted model. It prints what each program managed, as a table or with `--json`, and says nothing
// else on standard output then (with `npm run --silent`).
//
//   --installed <folder>   use the programs of that folder instead (also LOOPWRIGHT_AGENTS)
//   --json                 the table as JSON
//
// Everything else goes to the test runner: a file, or `-t claude`.

import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { npmCommand, root, runInOurPlace, runScript, runToEnd, ScriptError } from './child.mjs'
import { meetSystemNeeds } from './needs.mjs'
import { setUp } from './setup.mjs'

const folder = join(root, 'test', 'real-agents')
const testRunner = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const resultsFile = join(root, 'build', 'agent-results.json')

/** In the order of the table. Each is a group of stories: `claude > headless > …`. */
const columns = ['headless', 'acp', 'hostile', 'trouble', 'build', 'review']

await runScript(async () => {
  const { own, others } = readArguments(process.argv.slice(2))
  meetSystemNeeds()
  setUp()
  const installed = resolve(own.installed ?? process.env.LOOPWRIGHT_AGENTS ?? install())
  mkdirSync(dirname(resultsFile), { recursive: true })
  rmSync(resultsFile, { force: true })
  process.env.LOOPWRIGHT_AGENTS = installed
  const code = await runInOurPlace(
    [
      testRunner,
      'run',
      '--config=vitest.agents.config.ts',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${relative(root, resultsFile)}`,
      ...others,
    ],
    // Standard output is for the table.
    { stdout: 2 },
  )
  if (!existsSync(resultsFile)) throw new ScriptError('The stories could not be run; see above.')
  const rows = await readRows(installed)
  process.stdout.write(own.json ? `${JSON.stringify(rows, null, 2)}\n` : tableOf(rows))
  return code
})

function readArguments(args) {
  const options = { installed: { type: 'string' }, json: { type: 'boolean', default: false } }
  const { values, tokens } = parseArgs({
    args,
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const ours = tokens.filter(({ kind, name }) => kind === 'option' && name in options)
  const taken = new Set(
    ours.flatMap(({ index, name, inlineValue }) =>
      name === 'installed' && inlineValue === false ? [index, index + 1] : [index],
    ),
  )
  return { own: values, others: args.filter((_arg, index) => !taken.has(index)) }
}

/** Once for each lock file: the programs are 1.6 GB. Nothing of them is run for it. */
function install() {
  const stampFile = join(folder, 'node_modules', '.loopwright-agents')
  const stamp = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .update(`\n${process.platform} ${process.arch}`)
    .digest('hex')
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return folder
  process.stderr.write('Installing the agent programs, about 1.6 GB\n')
  const command = [...npmCommand(), 'ci', `--prefix=${folder}`, '--ignore-scripts']
  if (runToEnd([...command, '--no-audit', '--no-fund', '--include=optional']) !== 0) {
    throw new ScriptError('The agent programs could not be installed; npm says why above.')
  }
  writeFileSync(stampFile, stamp)
  return folder
}

/** For each program: its version, and for each group how many of its stories went well, and how long. */
async function readRows(installed) {
  const { testResults } = JSON.parse(readFileSync(resultsFile, 'utf8'))
  const stories = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === 'passed' || status === 'failed')
    .map(({ ancestorTitles: [program, group = ''], status, duration = 0 }) => ({
      program,
      column: columns.find((column) => group.startsWith(column)),
      passed: status === 'passed',
      duration,
    }))
  const { knownPrograms } = await import('../dist/agents/programs/programs.js')
  return knownPrograms().map((known) => ({
    program: known.name,
    version: versionOf(installed, known.package.name),
    ...Object.fromEntries(columns.map((column) => [column, sum(stories, known.name, column)])),
  }))
}

function versionOf(installed, name) {
  const file = join(installed, 'node_modules', name, 'package.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : 'not installed'
}

function sum(stories, program, column) {
  const own = stories.filter((story) => story.program === program && story.column === column)
  const seconds = own.reduce((total, { duration }) => total + duration / 1000, 0)
  const passed = own.filter((story) => story.passed).length
  return { passed, of: own.length, seconds: Number(seconds.toFixed(1)) }
}

function tableOf(rows) {
  const cell = ({ passed, of, seconds }) => (of === 0 ? '-' : `${passed}/${of} ${seconds} s`)
  const lines = [
    ['program', 'version', ...columns],
    ...rows.map((row) => [row.program, row.version, ...columns.map((column) => cell(row[column]))]),
  ]
  const widths = lines[0].map((_name, index) =>
    Math.max(...lines.map((line) => line[index].length)),
  )
  const text = lines.map((line) =>
    line
      .map((value, index) => value.padEnd(widths[index]))
      .join('  ')
      .trimEnd(),
  )
  return `\n${text.join('\n')}\n`
}
