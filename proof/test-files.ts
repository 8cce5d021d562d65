/** Test files that belong to the proof, counted: how many cases there are, all of which must hold. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { atLeast, type Suite } from '../bench/report.ts'
import { longSuites } from './long-suites.ts'

interface Counted {
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
    title: 'invalid arguments',
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
  {
    name: 'gateway.http',
    title: 'providers and clients that bend HTTP',
    where: ['test/gateway/provider-wire.test.ts', 'test/gateway/client-wire.test.ts'],
    casesMin: 50,
  },
  {
    name: 'gateway.clients',
    title: 'the official clients of the providers, unmodified',
    where: ['test/gateway/clients.test.ts', 'test/gateway/client-streams.test.ts'],
    casesMin: 16,
  },
  {
    name: 'gateway.canaries',
    title: 'keys in every place and spelling, none of which is ever found',
    where: 'test/gateway/canaries.test.ts',
    casesMin: 57,
  },
  {
    name: 'gateway.local-servers',
    title: 'Ollama, vLLM, LM Studio and their habits',
    where: 'test/gateway/local-servers.test.ts',
    casesMin: 12,
  },
]

const root = fileURLToPath(new URL('../..', import.meta.url))

const counted: readonly Counted[] = [
  ...sets,
  ...longSuites.map(({ file, name, title, casesMin }) => ({ name, title, casesMin, where: file })),
]

const areaOf = ({ name }: Counted): string => name.split('.')[0] ?? ''

/** One suite for each area: its files share a test runner, which starts once. */
export const testFiles: readonly Suite[] = [...new Set(counted.map(areaOf))].map((area) =>
  countCases(
    area,
    counted.filter((one) => areaOf(one) === area),
  ),
)

function countCases(area: string, group: readonly Counted[]): Suite {
  return {
    area,
    title: `test files: ${group.map(({ name }) => name.slice(area.length + 1)).join(', ')}`,
    async run({ note }) {
      const files = await runTests(group.flatMap(({ where }) => where))
      return group.map(({ name, where, casesMin }) => {
        const own = files.filter((file) => [where].flat().some((one) => file.path.startsWith(one)))
        const passed = own.reduce((sum, file) => sum + file.passed, 0)
        const failures = own.flatMap((file) => file.failures)
        for (const failure of failures) note(`  ${failure}`)
        const value = failures.length === 0 ? passed : 0
        const detail = `${passed} passed, ${failures.length} failed${failures.map((one) => `; ${one}`).join('')}`
        return atLeast(name, value, casesMin, 'cases', detail)
      })
    },
  }
}

interface FileResult {
  /** From the root of the repository. */
  readonly path: string
  readonly passed: number
  /** By name; a file that did not load is one. */
  readonly failures: readonly string[]
}

interface Report {
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
  }[]
}

async function runTests(where: readonly string[]): Promise<readonly FileResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-proof-'))
  const file = join(folder, 'report.json')
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const options = ['--reporter=json', `--outputFile=${file}`]
  try {
    const child = spawn(process.execPath, [vitest, 'run', ...where, ...options], {
      cwd: root,
      stdio: 'ignore',
      env: { ...process.env, LOOPWRIGHT_SUITES: 'all', LOOPWRIGHT_BUILT: '1' },
    })
    const [code] = (await once(child, 'close')) as [number | null]
    const report = JSON.parse(readFileSync(file, 'utf8')) as Report
    const results = report.testResults.map(toFileResult)
    // Its report leaves out errors that no test caught.
    if (code !== 0 && results.every(({ failures }) => failures.length === 0)) {
      throw new Error(`vitest ended with ${code}, and no test failed: ${where.join(' ')}`)
    }
    return results
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function toFileResult({
  name,
  status,
  assertionResults,
}: Report['testResults'][number]): FileResult {
  const path = relative(root, name)
  const passed = assertionResults.filter((one) => one.status === 'passed').length
  const failures = assertionResults.flatMap((one) =>
    one.status === 'failed' ? [one.fullName] : [],
  )
  const isUnloaded = status === 'failed' && failures.length === 0
  return { path, passed, failures: isUnloaded ? [`${path} did not load`] : failures }
}
