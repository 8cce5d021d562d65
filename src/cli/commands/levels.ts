/** `loopctl levels`: what loops may do without a person, why, and what people decide about it. */

import { resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { defined, type Level, LoopError } from '../../loop/index.ts'
import type { LevelBars, LevelRequest } from '../../protocol/api/index.ts'
import { describeCeiling, renderLevels, renderStanding } from '../display/levels-view.ts'
import { requireLoop } from '../require-loop.ts'
import { folderName, type Session, who, wholeNumber, withRuns } from '../session.ts'

interface Where {
  readonly kind?: string
  readonly repo?: string
  readonly reason?: string
}

interface BarOptions extends Where {
  readonly level?: Level
  readonly bar?: number
  readonly minimum?: number
  readonly confidence?: number
  readonly falseAccepts?: number
}

export function addLevels(program: Command): void {
  const levels = program
    .command('levels [loop-name]')
    .description('show the levels of loops, and what is missing for more')
    .action((loop: string | undefined) =>
      withRuns(
        program,
        async (runs, session) => {
          const { items, escapes } = await runs.levels(defined({ loop }))
          if (items.length === 0) {
            await requireLoop(runs, loop, async () =>
              (await runs.levels()).items.map((item) => item.loop),
            )
          }
          if (session.json) for (const item of items) session.print(item, String)
          else session.print(items, () => renderLevels(items, escapes, loop))
        },
        async ({ json, print }) => {
          await requireLoop(undefined, loop)
          if (!json) print([], () => renderLevels([], []))
        },
      ),
    )
  where(
    levels
      .command('set <loop-name>')
      .argument('<level>', '1, 2 or 3', toLevel)
      .description('set the level of a loop; also gives back a lost one'),
  ).action((loop: string, level: Level, options: Where) =>
    decide(program, loop, options, { level }),
  )
  where(
    levels.command('accept <loop-name>').description('accept the level that evidence proposes'),
  ).action((loop: string, options: Where) => decide(program, loop, options, { accept: true }))
  where(
    levels
      .command('bars <loop-name>')
      .description('change what is required for a level')
      .option('--level <level>', 'the level that --bar and --minimum are about', toLevel)
      .option('--bar <share>', 'verified success must be at least this, such as 0.9', toShare)
      .option('--minimum <n>', 'finished rounds that it takes', wholeNumber)
      .option('--confidence <share>', 'of the lower bound, such as 0.95', toShare)
      .option('--false-accepts <share>', 'planted defects that may be accepted', toShare),
  ).action((loop: string, options: BarOptions) => changeBars(program, loop, options))
}

const where = (command: Command): Command =>
  command
    .option('--kind <kind>', 'kind of action (default: the only one)')
    .option('--repo <folder>', 'folder or repository (default: the only one)', folderName)
    .option('--reason <text>', 'why; kept with the change')

type Decision = Pick<LevelRequest, 'level' | 'accept' | 'bars'>

const toRequest = (
  loop: string,
  { kind, repo, reason }: Where,
  decision: Decision,
): LevelRequest => ({
  loop,
  ...decision,
  by: who(),
  ...defined({ kind, reason, workspace: repo === undefined ? undefined : resolve(repo) }),
})

const decide = (
  program: Command,
  loop: string,
  options: Where,
  decision: Decision,
): Promise<void> =>
  withRuns(program, async (runs, { json, print }: Session) => {
    const found = await runs.decideLevel(toRequest(loop, options, decision))
    print(found, () => renderStanding(found, false))
    const note = describeCeiling(found, decision.level)
    if (note !== undefined && !json) process.stderr.write(`${note}\n`)
  })

/** What is not named stays as it is. */
function changeBars(program: Command, loop: string, options: BarOptions): Promise<void> {
  const { level, bar, minimum, confidence, falseAccepts, kind, repo } = options
  const isAboutLevel = bar !== undefined || minimum !== undefined
  if (isAboutLevel !== (level !== undefined)) {
    throw new LoopError('bad-request', '--level needs --bar or --minimum, and they need --level.')
  }
  if (!isAboutLevel && confidence === undefined && falseAccepts === undefined) {
    const message = 'Pass --level with --bar or --minimum, --confidence, or --false-accepts.'
    throw new LoopError('bad-request', message)
  }
  if (level === 1) {
    throw new LoopError('bad-request', 'Nothing is required for level 1. Pass --level 2 or 3.')
  }
  return withRuns(program, async (runs, { print }) => {
    const at = repo === undefined ? undefined : resolve(repo)
    const known = (await runs.levels({ loop })).items.find(
      (item) =>
        (kind === undefined || item.kind === kind) && (at === undefined || item.repository === at),
    )
    const bars: Partial<LevelBars> = defined({ confidence, falseAcceptsMax: falseAccepts })
    const current = level === undefined ? undefined : known?.bars[level]
    const changed =
      level === undefined
        ? {}
        : {
            [level]: {
              bar: bar ?? current?.bar ?? 0.9,
              minimum: minimum ?? current?.minimum ?? 30,
            },
          }
    const request = toRequest(loop, options, { bars: { ...bars, ...changed } })
    const found = await runs.decideLevel(request)
    print(found, () => renderStanding(found, false))
  })
}

function toLevel(text: string): Level {
  if (text === '1' || text === '2' || text === '3') return text === '1' ? 1 : text === '2' ? 2 : 3
  throw new InvalidArgumentError('It must be 1, 2 or 3.')
}

function toShare(text: string): number {
  const share = Number(text)
  if (/^\d+(\.\d+)?$/.test(text) && share >= 0 && share <= 1) return share
  throw new InvalidArgumentError('It must be a number from 0 to 1, such as 0.9.')
}
