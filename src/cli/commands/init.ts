/** `init`: writes a first loop file for the project in this folder. */

import { relative, resolve } from 'node:path'
import type { Command } from 'commander'
import type { LoopDraft } from '../../launch/init/loop-text.ts'
import type { WrittenLoop } from '../../launch/init/write-loop.ts'
import type { PreflightReport } from '../../launch/preflight/index.ts'
import { defined, isLoopError, LoopError } from '../../loop/index.ts'
import { addCheckOption, type GivenChecks } from '../check-option.ts'
import { loopFiles } from '../choose-loop.ts'
import { describeFound } from '../display/found-view.ts'
import { renderTable, visible, visibleText } from '../display/render.ts'
import { interruptedExitCode } from '../exit-codes.ts'
import { askAnswers, defaultAnswers, describeMissing, type InitFound } from '../init-answers.ts'
import { inspectMachine, requireProjectFolder } from '../project-here.ts'
import { readPrompt } from '../run-options.ts'
import { openSession, readStateFolder, type Session } from '../session.ts'
import { shellWord } from '../shell-word.ts'

interface InitOptions {
  readonly agent?: string
  readonly check?: GivenChecks
  readonly prompt?: string
  readonly yes?: boolean
  /** False with --no-preflight. */
  readonly preflight: boolean
}

export function addInit(program: Command): void {
  const init = program
    .command('init [file]')
    .description('write a loop file for the project in this folder')
    .option('--agent <name>', 'claude, codex, …, provider/model, or a command')
    .option('-p, --prompt <text>', 'the task: text, @file, or - for stdin')
    .option('--yes', 'use the defaults without asking')
    .option('--no-preflight', 'do not run the preflight afterwards')
    .addHelpText(
      'after',
      `
The default file is loops/fix.yaml; a name such as docs means loops/docs.yaml. Existing files are not
overwritten. The new file is trusted as it is; after you edit it, run asks again.`,
    )
  addCheckOption(init, 'a command that must pass, or name=command; repeatable')
  init.action((file: string | undefined, options: InitOptions) => start(program, file, options))
}

async function start(
  program: Command,
  named: string | undefined,
  options: InitOptions,
): Promise<void> {
  const session = openSession(program)
  const folder = requireProjectFolder()
  const state = resolve(await readStateFolder(program))
  const { initFile, requireNew, writeInitLoop } = await import('../../launch/init/write-loop.ts')
  const file = initFile(folder, named)
  requireNew(file)
  const found = await inspectMachine(folder, state)
  const draft = await answers(session, found, options)
  if (draft === undefined) {
    process.exitCode = interruptedExitCode
    process.stdout.write('Nothing was written.\n')
    return
  }
  const written = await writeInitLoop(draft, { file, folder, state })
  const shown = describeWritten(found, draft, written)
  if (session.json) {
    const tried = options.preflight ? await preflightWritten(program, written) : {}
    return session.print({ ...shown, ...tried }, String)
  }
  session.print(shown, () => render(session, shown))
  const isReady = !options.preflight || (await showPreflight(program, session, written))
  process.stdout.write(`${isReady ? 'Run it' : 'When this is fixed'}: ${shown.next}\n`)
}

interface InitPreflight {
  readonly preflight?: PreflightReport
  /** Why the preflight could not run. */
  readonly untried?: string
}

/** The file is written already, so a failure here is reported and not thrown. */
async function preflightWritten(program: Command, { file }: WrittenLoop): Promise<InitPreflight> {
  const { preflightFile } = await import('./preflight.ts')
  let tried: InitPreflight = {}
  try {
    await preflightFile(program, file, {}, (preflight) => {
      tried = { preflight }
    })
  } catch (error) {
    if (!isLoopError(error)) throw error
    tried = { untried: error.message }
  }
  return tried
}

/** Whether the loop can run. */
async function showPreflight(
  program: Command,
  session: Session,
  written: WrittenLoop,
): Promise<boolean> {
  process.stdout.write('\nPreflight:\n')
  const { preflight, untried } = await preflightWritten(program, written)
  const { renderTried } = await import('./preflight.ts')
  if (preflight !== undefined) process.stdout.write(`${renderTried(session, preflight)}\n`)
  if (untried !== undefined) {
    process.stdout.write(`${session.terminal.style.red('✗')} ${visibleText(untried)}\n`)
  }
  process.stdout.write('\n')
  return preflight?.ready === true
}

async function answers(
  { terminal, json }: Session,
  found: InitFound,
  { agent, check, prompt, yes = false }: InitOptions,
): Promise<LoopDraft | undefined> {
  const given = {
    ...defined({ agent, check }),
    ...(prompt === undefined ? {} : { task: await readPrompt(prompt) }),
  }
  if (yes) return defaultAnswers(found, given)
  if (!terminal.asks) {
    const message = 'init needs a terminal to ask its questions.'
    throw new LoopError('bad-request', `${message} Pass --yes to use the defaults.`)
  }
  if (!json) process.stdout.write(`${describeFound(found, terminal).join('\n')}\n\n`)
  return askAnswers(found, given)
}

function describeWritten(found: InitFound, draft: LoopDraft, { file, digest }: WrittenLoop) {
  const { project, agents } = found
  const { folder, repository, stacks } = project
  const missing = typeof draft.agent === 'string' ? describeMissing(draft.agent, agents) : undefined
  const shown = relative(folder, file)
  const only = loopFiles('loops').length === 1 && shown.startsWith('loops/')
  const next = only ? 'loopctl run' : `loopctl run ${shown}`
  return {
    file,
    digest,
    folder,
    ...defined({ repository }),
    stacks,
    agents,
    agent: draft.agent,
    checks: draft.checks,
    goal: draft.task,
    limits: draft.limits ?? {},
    notes: missing === undefined ? [] : [missing],
    next,
  }
}

function render(
  { terminal: { style } }: Session,
  { file, folder, agent, checks, goal, notes }: ReturnType<typeof describeWritten>,
): string {
  return [
    `${style.green('✓')} ${visible(`Wrote ${relative(folder, file)}`)}`,
    ...renderTable([
      ['  agent', agentText(agent)],
      ...Object.entries(checks).map(([name, command]) => [`  check ${name}`, command]),
      ['  goal', goal.split('\n', 1)[0] ?? ''],
    ]).split('\n'),
    ...notes.map((note) => visible(`Before you run it: ${note}`)),
  ].join('\n')
}

/** As `parseAgent` makes it: a name, a command or a model. */
function agentText(agent: LoopDraft['agent']): string {
  if (typeof agent === 'string') return agent
  const { command, model } = agent as { readonly command?: string[]; readonly model?: string }
  return command?.map(shellWord).join(' ') ?? model ?? JSON.stringify(agent)
}
