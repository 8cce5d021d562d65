/**
 * The real agent programs with a scripted model, started as a user would: a loop file, a git
 * repository, and the built loopctl as a separate process. LOOPWRIGHT_AGENTS says where they are
 * installed; scripts/test-agents.mjs sets it.
 */

import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { type ProgramName, programNames } from '../../src/loop/index.ts'
import { processesIn } from '../../src/testing/agent-contract/left-behind.ts'
import {
  type ModelAnswer,
  type ModelRequest,
  type ModelServer,
  startModelServer,
} from '../../src/testing/index.ts'
import { ctlWith, type Ended, endOf, eventsOf, type Place, placeFor } from '../e2e/loop-fixture.ts'

const installed = process.env['LOOPWRIGHT_AGENTS']
if (installed === undefined) {
  throw new Error('LOOPWRIGHT_AGENTS is not set. Start these tests with: npm run test:agents')
}
process.env['PATH'] = [join(installed, 'node_modules/.bin'), process.env['PATH']].join(delimiter)

export { type ProgramName as Program, programNames as programs }

/** No file may contain it; only the gateway knows it. */
export const key = 'sk-real-0123456789abcdef0123456789'

/** The provider, wherever a program looks for it. */
export const behind = ({ url }: Pick<ModelServer, 'url'>): Record<string, string> => ({
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_API_KEY: key,
  OPENAI_BASE_URL: url,
  OPENAI_API_KEY: key,
  GOOGLE_GEMINI_BASE_URL: url.replace(/\/v1$/, ''),
  GEMINI_API_KEY: key,
})

/** How each program names its tool that runs a command, and its arguments. */
const shells: Readonly<Record<string, (command: string) => Readonly<Record<string, unknown>>>> = {
  Bash: (command) => ({ command, description: 'Mends it' }),
  bash: (command) => ({ command, description: 'Mends it' }),
  exec_command: (cmd) => ({ cmd }),
  shell: (command) => ({ command: ['sh', '-c', command] }),
  shell_command: (command) => ({ command }),
  run_shell_command: (command) => ({ command, description: 'Mends it' }),
}

const asksMax = 8
const usage = { input: 700, output: 30 }

/**
 * Has one command run, and reports once it ran. Requests for titles and the like are answered too.
 */
export function mending(command: string): (request: ModelRequest, number: number) => ModelAnswer {
  return (request, number) => {
    const isMended = JSON.stringify(request.body).includes('mended-it') || number > asksMax
    const call = isMended ? undefined : shellCall(request, `${command} && echo mended""-it`)
    return call ?? saying('The test passes now.')
  }
}

/** Has the program run this command with its tool for that. Undefined: this request offers none. */
export function shellCall(
  { tools }: Pick<ModelRequest, 'tools'>,
  command: string,
): ModelAnswer | undefined {
  const name = tools.find((tool) => tool in shells)
  const args = name === undefined ? undefined : shells[name]?.(command)
  return name === undefined ? undefined : { calls: [{ name, args: args as never }], usage }
}

export const saying = (text: string): ModelAnswer => ({ text, usage })

export const mend = "sed -i 's/a - b/a + b/' sum.js && node --test"

const project = {
  'package.json': '{ "type": "module" }\n',
  'sum.js': 'export const sum = (a, b) => a - b\n',
  'sum.test.js': `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sum } from './sum.js'

test('two and three make five', () => assert.equal(sum(2, 3), 5))
`,
}

/** A git repository with a failing test, and a loop in which this agent is to fix it. */
export function failingProject(
  agent: string,
  files: Readonly<Record<string, string>> = {},
  iterations = 2,
): Place {
  const at = placeFor(`
prompt: "Make the test pass: run node --test.{% for check in checks %}\\n{{ check.output }}{% endfor %}"
agent: ${agent}
checks: { test: node --test }
limits: { iterations: ${iterations} }
sandbox: { require: strong }
`)
  for (const [name, text] of Object.entries({ ...project, ...files })) {
    mkdirSync(dirname(join(at.work, name)), { recursive: true })
    writeFileSync(join(at.work, name), text, { mode: 0o755 })
  }
  const git = (...args: string[]): void => {
    execFileSync('git', ['-C', at.work, '-c', 'user.name=T', '-c', 'user.email=t@t', ...args])
  }
  git('init', '--quiet', '--initial-branch=main')
  git('add', '--all', '--force')
  git('commit', '--quiet', '--message=Before')
  return at
}

export interface Played extends Ended {
  readonly server: Pick<ModelServer, 'requests' | 'bills'>
  /** Where it worked. */
  readonly folder: string
  readonly outcome: string | undefined
  readonly spentTokens: number
  /** The agent's report in each iteration. */
  readonly reports: readonly Readonly<Record<string, unknown>>[]
}

/** Runs the loop to its end, with a model that answers this. */
export async function play(
  at: Place,
  script: (request: ModelRequest, number: number) => ModelAnswer,
): Promise<Played> {
  const server = await startModelServer(script)
  try {
    const command = ['--json', 'run', at.file, '--trust', '--name', 'story']
    const ended = await ctlWith(at, behind(server), ...command)
    const inspected = await ctlWith(at, {}, '--json', 'inspect', 'story')
    if (inspected.code !== 0) throw new Error(`It was never a run: ${ended.stderr}`)
    const { state, run } = JSON.parse(inspected.stdout) as {
      readonly run: { readonly workspace?: string }
      readonly state: { readonly spent: { readonly tokens: number } }
    }
    return {
      ...ended,
      server,
      folder: run.workspace ?? at.work,
      outcome: endOf(ended).outcome?.type,
      spentTokens: state.spent.tokens,
      reports: eventsOf(ended, 'step-finished')
        .filter(({ step }) => String(step).startsWith('agent:'))
        .map(({ result }) => (result as { value: Readonly<Record<string, unknown>> }).value),
    }
  } finally {
    await server.close()
  }
}

/** Files that contain this text, of all that the run could write. */
export function filesWith(text: string, ...folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => readFileSync(path).includes(text)),
  )
}

/** Processes that still work for this run. */
export const alive = (at: Place, { folder }: Played): Promise<readonly number[]> =>
  processesIn([dirname(at.file), folder])
