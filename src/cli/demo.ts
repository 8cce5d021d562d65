/**
 * `demo`: runs an example that comes with the package, as a user would, on a copy of its project. When its
 * last run was interrupted, that one is resumed. The daemon is stopped afterwards unless it was running before.
 */

import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import type { AgentCandidate } from '../launch/agents/find-agents.ts'
import type { DemoName } from '../launch/init/copy-demo.ts'
import { isEnd, LoopError } from '../loop/index.ts'
import type { Run } from '../protocol/api/index.ts'
import { ownName } from './own-name.ts'
import { type GlobalOptions, openSession, readStateFolder, type Session } from './session.ts'

const intros: Readonly<Record<DemoName, readonly string[]>> = {
  'mend-duration': [
    'A small project with a bug: its tests fail. The built-in agent needs no model, key or network: it tries',
    'small edits until the tests pass. The run ends when tests that Loopwright ran itself pass.',
  ],
  'build-text': [
    'A spec with a plan of two tasks. An agent implements each task, another reviews it and may only read, and',
    'the checks decide. A scripted agent stands in for both; nothing is called over the network.',
  ],
  'fix-sum': [
    'A scripted agent stands in for a model here; nothing is called over the network.',
    'It claims success each time. Interrupt it and start it again: it continues where it stopped.',
  ],
}

interface Demo {
  readonly session: Session
  readonly state: string
  readonly name: DemoName
  /** Runs loopctl on the same state folder: its exit code. */
  ctl(args: readonly string[], silent?: boolean): Promise<number>
}

export async function runDemo(
  program: Command,
  name: DemoName,
  agent: string | undefined,
): Promise<void> {
  const session = openSession(program)
  if (session.json) {
    const message = 'demo does not support --json.'
    throw new LoopError('bad-request', `${message} Use: loopctl --json run`)
  }
  const state = resolve(await readStateFolder(program))
  // The commands that it prints repeat the options that it got.
  const givenState = program.getOptionValueSource('state') === 'cli' ? state : undefined
  const { daemon } = program.opts<GlobalOptions>()
  const demo: Demo = { session, state, name, ctl: createCtl(givenState, daemon) }
  const hasDaemon = async (): Promise<boolean> =>
    daemon && (await demo.ctl(['--json', 'daemon', 'status'], true)) === 0
  const wasThere = await hasDaemon()
  const code = await showRun(demo, agent)
  if (!wasThere && (await hasDaemon())) {
    const left = code === 0 ? '' : '; the run is interrupted'
    say('', `Stopping the daemon, which was started only for the demo${left}:`)
    await demo.ctl(['daemon', 'stop'])
    if (code !== 0)
      say(`Resume it with: ${ownName()} demo${name === 'mend-duration' ? '' : ` ${name}`}`)
  }
  process.exitCode = code
}

async function showRun(demo: Demo, wanted: string | undefined): Promise<number> {
  const { state, name, ctl, session } = demo
  // The user watches even without a terminal, and the example is ours.
  const ours = ['--trust', '--attended']
  const open = await findRun(state, name, (run) => !isEnd(run.status))
  if (open !== undefined) {
    return open.held ? ctl(['watch', open.name]) : ctl(['resume', open.name, ...ours])
  }
  const { findAgents } = await import('../launch/agents/find-agents.ts')
  const ready = (await findAgents(state)).filter(
    (one) => one.state === 'ready' && one.kind !== 'built-in',
  )
  const offers = name !== 'fix-sum' && wanted === undefined ? ready : []
  const agent = wanted ?? (await chooseAgent(session, name, offers))
  const { copyDemo } = await import('../launch/init/copy-demo.ts')
  const { file, isRepository } = await copyDemo(state, name, agent)
  say(...(agent === undefined ? intros[name] : [`${agent} works on a small project.`]))
  say(`  loopctl run ${file}`, '')
  // The copy has the same files, and a second demo should work again.
  const code = await ctl([
    'run',
    file,
    '--again',
    ...ours,
    isRepository ? '--worktree' : '--in-place',
  ])
  const done = (await findRun(state, name, () => true))?.name
  if (done === undefined || code !== 0) return code
  say('', 'What it changed:', '')
  await ctl(['diff', done])
  say('', ...nextSteps(done, name, offers))
  return 0
}

/** The one of the example unless a person at a terminal chooses another. */
async function chooseAgent(
  { terminal }: Session,
  example: DemoName,
  offers: readonly AgentCandidate[],
): Promise<string | undefined> {
  if (offers.length === 0 || !terminal.asks) return undefined
  const { isCancel, select } = await import('@clack/prompts')
  const chosen = await select({
    message: 'Which agent does it?',
    options: [
      {
        value: '',
        label: example === 'build-text' ? 'a scripted one' : 'repair',
        hint: 'no model, free',
      },
      ...offers.map(({ name }) => ({ value: name, label: name, hint: 'costs at most $1' })),
    ],
  })
  return isCancel(chosen) || chosen === '' ? undefined : chosen
}

function nextSteps(
  run: string,
  example: DemoName,
  offers: readonly AgentCandidate[],
): readonly string[] {
  const own = ownName()
  const chosen = example === 'mend-duration' ? '' : ` ${example}`
  const steps: readonly (readonly [command: string, why: string])[] = [
    [`${own} show ${run} 1`, 'show its first iteration'],
    [`${own} verify ${run}`, 'verify its certificate'],
    example === 'build-text'
      ? [`${own} actions ${run}`, 'show the branch that it was merged into']
      : [`${own} merge ${run}`, 'merge it, without touching a checkout'],
    ...offers.map(
      ({ name }) => [`${own} demo${chosen} --agent ${name}`, 'the same with this agent'] as const,
    ),
    ...(example === 'mend-duration'
      ? [[`${own} demo build-text`, 'build a small spec, task by task'] as const]
      : []),
    [`${own} init`, 'write a loop file, in a project of your own'],
  ]
  const width = Math.max(...steps.map(([command]) => command.length))
  return ['Next:', ...steps.map(([command, why]) => `  ${command.padEnd(width)}  ${why}`)]
}

/** The newest first. */
async function findRun(
  folder: string,
  loop: string,
  fits: (run: Run) => boolean,
): Promise<Run | undefined> {
  const { openHost } = await import('../host/open-host.ts')
  const host = await openHost({ folder })
  try {
    return (await host.list()).find((run) => run.loop === loop && fits(run))
  } finally {
    await host.close()
  }
}

function say(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`)
}

const loopctl = fileURLToPath(new URL('loopctl.js', import.meta.url))

/** Ctrl-C reaches it too, since it shares our terminal; we only wait for its end. */
const createCtl =
  (state: string | undefined, daemon: boolean): Demo['ctl'] =>
  (args, silent = false) => {
    const ignore = (): void => undefined
    process.on('SIGINT', ignore)
    const globals = [
      ...(state === undefined ? [] : ['--state', state]),
      ...(daemon ? [] : ['--no-daemon']),
    ]
    const stdio = silent ? 'ignore' : 'inherit'
    const child = spawn(process.execPath, [loopctl, ...globals, ...args], { stdio })
    const forward = (): void => void child.kill('SIGTERM')
    process.on('SIGTERM', forward)
    return new Promise((done, reject) => {
      child.once('error', reject)
      child.once('exit', (code) => {
        process.off('SIGTERM', forward)
        process.off('SIGINT', ignore)
        done(code ?? 1)
      })
    })
  }
