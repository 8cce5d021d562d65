/**
 * The hostile sets and stories of `npm test`, counted: how many cases there are, all of which must
 * hold. They run as they do in the tests, in a process of their own.
 */

import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { atLeast, type Suite } from '../bench/report.ts'
import { longSuites } from './long-suites.ts'

export interface Counted {
  readonly name: string
  readonly title: string
  /** A test file, or a folder of them; or several. */
  readonly where: string | readonly string[]
  readonly casesMin: number
}

const sets: readonly Counted[] = [
  {
    name: 'tools.hostile-paths',
    title: 'paths that try to leave the workspace',
    where: 'test/tools/hostile-paths.test.ts',
    casesMin: 200,
  },
  {
    name: 'tools.hostile-arguments',
    title: 'arguments that are none',
    where: 'test/tools/hostile-arguments.test.ts',
    casesMin: 100,
  },
  {
    name: 'tools.mcp-servers',
    title: 'two official MCP servers, and one that misbehaves',
    where: 'test/mcp',
    casesMin: 50,
  },
  {
    name: 'loops.template-attacks',
    title: 'templates that try to do more than be text',
    where: 'src/loops/template-attacks.test.ts',
    casesMin: 50,
  },
  {
    name: 'cli.loop-stories',
    title: 'loop files with a scripted agent and real commands',
    where: 'test/e2e/loop-stories.test.ts',
    casesMin: 11,
  },
]

const root = fileURLToPath(new URL('../..', import.meta.url))

export const hostileSets: readonly Suite[] = [
  ...sets,
  ...longSuites.map(({ file, name, title, casesMin }) => ({ name, title, casesMin, where: file })),
].map(countCases)

export function countCases({ name, title, where, casesMin }: Counted): Suite {
  return {
    area: name.split('.')[0] ?? '',
    title,
    async run() {
      const { passed, failed } = count(where)
      const detail = `${passed} hold, ${failed} do not`
      return [atLeast(name, failed === 0 ? passed : 0, casesMin, 'cases', detail)]
    },
  }
}

interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly success: boolean
}

function count(where: Counted['where']): { readonly passed: number; readonly failed: number } {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-proof-'))
  const file = join(folder, 'report.json')
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const options = ['--reporter=json', `--outputFile=${file}`]
  try {
    spawnSync(process.execPath, [vitest, 'run', ...[where].flat(), ...options], {
      cwd: root,
      stdio: 'ignore',
      env: { ...process.env, LOOPWRIGHT_SUITES: 'all' },
    })
    const report = JSON.parse(readFileSync(file, 'utf8')) as Report
    const failed = report.numFailedTests + (report.success ? 0 : 1)
    return { passed: report.numPassedTests, failed }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
