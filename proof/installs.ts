/**
 * Attacks on the installation of dependencies: `test/hostile-installs.test.ts`, all of it, as root and as an
 * ordinary user, with real package managers. The figures are what was found on the host afterwards.
 */

import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { atLeast, atMost, type Suite } from '../bench/report.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const attacksMin = 90
const controlsMin = 30

interface Line {
  readonly name?: string
  readonly identity?: string
  readonly markers?: readonly string[]
  readonly credentials?: readonly string[]
  readonly connections?: readonly string[]
  readonly outside?: readonly string[]
  /** With a plain package manager it succeeds. */
  readonly control?: boolean
  readonly missing?: readonly string[]
}

export const installs: Suite = {
  area: ['host', 'installs'],
  title: 'repositories, packages and registries that attack an install',
  async run({ note }) {
    const { lines, failures } = await runTests()
    for (const failure of failures) note(`  ${failure}`)
    const tried = lines.filter(({ identity }) => identity !== undefined)
    const users = [...new Set(tried.map(({ identity }) => identity))].join(' and ')
    const names = new Set(tried.map(({ name }) => name))
    const count = (of: 'markers' | 'credentials' | 'connections' | 'outside'): number =>
      tried.reduce((sum, line) => sum + (line[of]?.length ?? 0), 0)
    const missing = lines.flatMap((line) => line.missing ?? [])
    const detail = `as ${users}; managers missing here: ${missing.join(', ') || 'none'}`
    const controls = lines.filter(({ control }) => control === true).length
    return [
      atLeast('host.install-attacks', names.size, attacksMin, 'attacks', detail),
      atLeast(
        'host.install-controls',
        controls,
        controlsMin,
        'attacks',
        'succeed with a plain package manager',
      ),
      atMost('host.install-markers', count('markers'), 0, 'markers', 'on the host'),
      atMost('host.install-credentials', count('credentials'), 0, 'credentials', 'seen elsewhere'),
      atMost('host.install-connections', count('connections'), 0, 'requests', 'to the attacker'),
      atMost('host.install-outside', count('outside'), 0, 'files', 'changed outside of the layer'),
      atMost('host.install-failures', failures.length, 0, 'tests', failures.join('; ')),
    ]
  },
}

interface Report {
  readonly testResults: readonly {
    readonly message: string
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

async function runTests(): Promise<{
  readonly lines: readonly Line[]
  readonly failures: readonly string[]
}> {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-proof-'))
  const linesFile = join(folder, 'lines.jsonl')
  const reportFile = join(folder, 'report.json')
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const options = ['--reporter=json', `--outputFile=${reportFile}`]
  try {
    const child = spawn(
      process.execPath,
      [vitest, 'run', 'test/hostile-installs.test.ts', ...options],
      {
        cwd: root,
        stdio: 'ignore',
        env: {
          ...process.env,
          LOOPWRIGHT_SUITES: 'all',
          LOOPWRIGHT_INSTALLS_REPORT: linesFile,
        },
      },
    )
    await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))
    const text = existsSync(linesFile) ? readFileSync(linesFile, 'utf8').trim() : ''
    const lines = text === '' ? [] : text.split('\n').map((line) => JSON.parse(line) as Line)
    const report = JSON.parse(readFileSync(reportFile, 'utf8')) as Report
    return { lines, failures: report.testResults.flatMap(failuresOf) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function failuresOf({ message, assertionResults }: Report['testResults'][number]): string[] {
  const failed = assertionResults.filter(({ status }) => status === 'failed')
  if (failed.length === 0) return message === '' ? [] : [message]
  return failed.map(({ fullName }) => fullName)
}
