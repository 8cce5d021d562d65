/** `loopctl` without a command: shows the project here and what to do next; on a terminal, lets the user choose. */

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { AgentCandidate } from '../launch/agents/find-agents.ts'
import type { InspectedFolder } from '../launch/init/inspect-folder.ts'
import { isEnd } from '../loop/index.ts'
import { loopFiles } from './choose-loop.ts'
import { plural } from './display/amounts.ts'
import {
  describeAgents,
  describeFolder,
  describeStacks,
  type Row,
  renderRows,
} from './display/found-view.ts'
import { visible } from './display/render.ts'
import { ownName } from './own-name.ts'
import { hasStateFolder, openSession, readStateFolder, type Session, withRuns } from './session.ts'
import { version } from './version.ts'

interface Home {
  readonly version: string
  readonly project: Omit<InspectedFolder, 'checks'>
  readonly loops: readonly string[]
  readonly agents: readonly AgentCandidate[]
  readonly sandbox: { readonly tier: string; readonly reason: string }
  readonly runs: Runs
}

interface Runs {
  /** Not ended. */
  readonly open: number
  /** Names of the runs that wait for an answer. */
  readonly waiting: readonly string[]
}

export async function showHome(program: Command, given: readonly string[]): Promise<void> {
  const session = openSession(program)
  const home = await readHome(program)
  const { project, ...rest } = home
  session.print({ ...project, ...rest }, () => render(home, session))
  if (session.json || !session.terminal.asks) return
  const chosen = await choose(home)
  if (chosen !== undefined) await program.parseAsync([...given, ...chosen], { from: 'user' })
}

async function readHome(program: Command): Promise<Home> {
  const state = resolve(await readStateFolder(program))
  const [{ inspectFolderQuickly }, { findAgents }, { describeLocalSandbox: sandboxHere }] =
    await Promise.all([
      import('../launch/init/inspect-folder.ts'),
      import('../launch/agents/find-agents.ts'),
      import('../launch/init/sandbox-here.ts'),
    ])
  const [project, agents, sandbox, runs] = await Promise.all([
    inspectFolderQuickly('.'),
    findAgents(state, { projectFolders: [process.cwd()] }),
    sandboxHere(),
    lookAtRuns(program),
  ])
  const loops = [...loopFiles('loops'), ...loopFiles('.').filter(isLoop)]
  return { version: version(), project, loops, agents, sandbox, runs }
}

const loopBytesMax = 100_000

/** Every file in `loops/` is a loop; any other YAML file must have the keys of one. */
function isLoop(file: string): boolean {
  try {
    const text = readFileSync(file, 'utf8').slice(0, loopBytesMax)
    return /^agent:/m.test(text) && /^(?:checks|until|prompt):/m.test(text)
  } catch {
    return false
  }
}

async function lookAtRuns(program: Command): Promise<Runs> {
  let found: Runs = { open: 0, waiting: [] }
  if (!(await hasStateFolder(program))) return found
  await withRuns(program, async (runs) => {
    const [rows, asked] = await Promise.all([runs.list({ limit: 100 }), runs.inbox()])
    const open = rows.filter(({ status }) => !isEnd(status)).length
    found = { open, waiting: [...new Set(asked.map(({ run }) => run.name))] }
  })
  return found
}

function render(home: Home, { terminal }: Session): string {
  const { project, agents, loops, sandbox, runs } = home
  const rows: Row[] = [
    ['folder', describeFolder(project)],
    ['project', describeStacks(project)],
    ['loops', loops.length === 0 ? 'none yet' : loops.join(', ')],
    ['agents', describeAgents(agents)],
    ['sandbox', sandbox.tier === 'strong' ? 'strong' : `${sandbox.tier}: ${sandbox.reason}`],
    ...(runs.open === 0 ? [] : [['runs', describeRuns(runs)] as const]),
  ]
  const { bold, dim } = terminal.style
  const steps = nextSteps(home)
  const own = ownName()
  const width = Math.max('--help'.length, ...steps.map(({ args }) => args.join(' ').length))
  return [
    `${bold(`Loopwright ${home.version}`)}  runs AI agents in loops that end when checks pass`,
    '',
    ...renderRows(rows, terminal),
    '',
    // At a terminal the prompt below lists the steps.
    ...(terminal.asks
      ? [dim(`All commands: ${own} --help`)]
      : [
          ...steps.map(({ args, about }) =>
            visible(`  ${own} ${args.join(' ').padEnd(width)}  ${about}`),
          ),
          `  ${own} ${'--help'.padEnd(width)}  all commands`,
        ]),
  ].join('\n')
}

const describeRuns = ({ open, waiting }: Runs): string =>
  waiting.length === 0
    ? `${open} unfinished`
    : `${open} unfinished; ${waiting.join(', ')} ${waiting.length === 1 ? 'is' : 'are'} waiting for your answer`

interface Step {
  readonly args: readonly string[]
  readonly about: string
}

/** The most urgent first. */
function nextSteps({ loops, runs }: Home): readonly Step[] {
  const [only] = loops
  const run: readonly Step[] =
    only === undefined
      ? []
      : [{ args: ['run', loops.length === 1 ? only : '--pick'], about: 'run a loop here' }]
  const init = { args: ['init'], about: 'write a loop file for this project' }
  const demo = {
    args: ['demo'],
    about: 'watch a small project get fixed (no model, key or network)',
  }
  return [
    ...(runs.waiting.length === 0
      ? []
      : [{ args: ['inbox'], about: `answer ${plural(runs.waiting.length, 'run')}` }]),
    ...run,
    ...(runs.open === 0 ? [] : [{ args: ['list'], about: 'list the runs' }]),
    ...(loops.length === 0 ? [init, demo] : [demo]),
  ]
}

/** Undefined: the user chose nothing. */
async function choose(home: Home): Promise<readonly string[] | undefined> {
  const { isCancel, select } = await import('@clack/prompts')
  const steps = nextSteps(home)
  const width = Math.max(...steps.map(({ args }) => args.join(' ').length))
  const picked = await select({
    message: 'What next?',
    options: [
      ...steps.map(({ args, about }, at) => ({
        value: at,
        label: visible(`${args.join(' ').padEnd(width)}  ${about}`),
      })),
      { value: -1, label: 'nothing now' },
    ],
  })
  return isCancel(picked) ? undefined : steps[picked]?.args
}
