// `npm test`: needs, dependencies, build, lint, tests. One line for each stage, and a last line
// `N passed, N failed, N skipped`. A stage that fails without failing tests counts as one failure,
// so that line and the exit code always agree. The lint runs beside the tests, and is reported after them.
// With arguments (`npm test -- test/tidy.test.ts`) they go to the test runner and the lint is left out.

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { npmCommand, root, runInOurPlace, runMeanwhile, runScript, ScriptError } from './child.mjs'
import { meetSystemNeeds } from './needs.mjs'
import { setUp } from './setup.mjs'

const testRunner = join(root, 'node_modules', 'vitest', 'vitest.mjs')
const resultsFile = join(root, 'build', 'test-results.json')

await runScript(async () => {
  const args = process.argv.slice(2)
  const tally = { passed: 0, failed: 0, skipped: 0 }
  try {
    prepare()
    // Tests load the build (vitest.config.ts).
    process.env.LOOPWRIGHT_BUILT = '1'
    chooseSeeds()
    const [tested, linted] = await Promise.all([test(args), args.length === 0 ? lint() : undefined])
    add(tally, tested)
    if (linted !== undefined && !reportLint(linted)) tally.failed += 1
  } catch (error) {
    if (!(error instanceof ScriptError)) throw error
    process.stderr.write(`\n${error.message}\n`)
    tally.failed += 1
  }
  const { passed, failed, skipped } = tally
  process.stdout.write(`\n${passed} passed, ${failed} failed, ${skipped} skipped\n`)
  return failed === 0 ? 0 : 1
})

function prepare() {
  meetSystemNeeds()
  const { installMs, buildMs } = setUp()
  report('install', installMs === undefined ? 'unchanged' : 'ok', installMs)
  report('build', 'ok', buildMs)
}

/**
 * Each commit simulates different seeds, so that drift shows within a day; the same commit repeats the
 * same ones. So it is with the long suites that run beside the others (proof/long-suites.ts).
 * LOOPWRIGHT_FIRST_SEED overrides.
 */
function chooseSeeds() {
  const head = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' })
  const commit = head.status === 0 ? head.stdout.slice(0, 7) : '1'
  process.env.LOOPWRIGHT_FIRST_SEED ??= String(Number.parseInt(commit, 16))
  const first = process.env.LOOPWRIGHT_FIRST_SEED
  report('seeds', `from ${first}; to replay one: npm run proof -- --only engine --seed <n>`)
}

/** The same commands as `npm run lint`, because it is that. */
async function lint() {
  const started = performance.now()
  const { code, output } = await runMeanwhile([...npmCommand(), 'run', '--silent', 'lint'])
  return { code, output, durationMs: performance.now() - started }
}

/** After the tests, whose lines it must not interrupt. */
function reportLint({ code, output, durationMs }) {
  process.stderr.write(output)
  report('lint', code === 0 ? 'ok' : 'FAILED, see: npm run lint', durationMs)
  return code === 0
}

async function test(args) {
  const started = performance.now()
  mkdirSync(dirname(resultsFile), { recursive: true })
  rmSync(resultsFile, { force: true })
  const code = await runInOurPlace([
    testRunner,
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${relative(root, resultsFile)}`,
    ...args,
  ])
  const tally = readTally(code)
  report('test', tally.failed === 0 ? 'ok' : 'FAILED', performance.now() - started)
  return tally
}

/** A file that could not be loaded has no failed test of its own, yet it failed. */
function readTally(code) {
  if (!existsSync(resultsFile)) return { passed: 0, failed: 1, skipped: 0 }
  const results = JSON.parse(readFileSync(resultsFile, 'utf8'))
  const unloaded = results.testResults.filter(
    (file) =>
      file.status === 'failed' &&
      file.assertionResults.every((assertion) => assertion.status !== 'failed'),
  ).length
  const failed = results.numFailedTests + unloaded
  return {
    passed: results.numPassedTests,
    failed: Math.max(failed, code === 0 ? 0 : 1),
    skipped: results.numPendingTests + results.numTodoTests,
  }
}

function add(tally, more) {
  for (const key of Object.keys(tally)) tally[key] += more[key]
}

function report(stage, verdict, durationMs) {
  const duration = durationMs === undefined ? '' : `  ${(durationMs / 1000).toFixed(1)} s`
  process.stdout.write(`${stage.padEnd(8)} ${verdict}${duration}\n`)
}
