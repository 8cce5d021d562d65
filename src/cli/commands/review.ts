/** Commands about the work of a run once it is there: scrap, reset, create-pr, analyze. */

import type { Command } from 'commander'
import { isEnd, LoopError } from '../../loop/index.ts'
import type { Discarded, Postmortem, PullRequestRequest } from '../../protocol/api/index.ts'
import type { Runs } from '../connection/runs.ts'
import { plural } from '../display/amounts.ts'
import { visible, visibleText } from '../display/render.ts'
import { requireYes } from '../require-yes.ts'
import { who, withRuns } from '../session.ts'

interface YesOption {
  readonly yes?: boolean
}

export function addReviewing(program: Command): void {
  program
    .command('scrap <run>')
    .description('throw the work of a run that has ended away: its worktree and its branch')
    .option('--yes', 'without being asked')
    .action((run: string, { yes }: YesOption) =>
      withRuns(program, async (runs, session) => {
        const { name } = (await runs.inspect(run)).run
        await requireYes(session, `remove the worktree and the branch of ${name}`, yes)
        const gone = await runs.scrap(run, who())
        session.print(gone, () => renderGone('scrapped', gone))
      }),
    )
  program
    .command('reset <run>')
    .description('end a run, and take its worktree and its branch away, whatever is in them')
    .option('--yes', 'without being asked')
    .action((run: string, { yes }: YesOption) =>
      withRuns(program, async (runs, session) => {
        const { name, status } = (await runs.inspect(run)).run
        const end = isEnd(status) ? '' : `cancel ${name}, and `
        await requireYes(session, `${end}remove its worktree and its branch (${name})`, yes)
        const gone = await runs.reset(run, who())
        session.print(gone, () => renderGone('reset', gone))
      }),
    )
  program
    .command('create-pr <run>')
    .description('push the branch of a certified run, and open a pull request with gh')
    .option('--remote <name>', 'where to push (default: origin)')
    .option('--base <branch>', 'the branch to merge into (default: what the run began from)')
    .option('--title <text>', 'its title')
    .option('--body <text>', 'its text')
    .option('--draft', 'as a draft')
    .action((run: string, options: Omit<PullRequestRequest, 'by'>) =>
      withRuns(program, async (runs, { print }) => {
        const made = await runs.createPullRequest(run, { ...options, by: who() })
        print(made, () => visible(made.url))
      }),
    )
  addAnalyze(program)
}

interface AnalyzeOptions {
  readonly latest?: boolean
  readonly model?: string
  readonly promptOnly?: boolean
}

function addAnalyze(program: Command): void {
  program
    .command('analyze [run]')
    .description('look back at a run that has ended: what happened, and why it ended')
    .option('--latest', 'the run that ended last')
    .option('--model <provider/model>', 'ask this model (default: from the record alone)')
    .option('--prompt-only', 'only write what a model would be asked')
    .action((run: string | undefined, { latest, ...choice }: AnalyzeOptions) =>
      withRuns(program, async (runs, { print }) => {
        const found = await runs.analyze(await runFor(runs, run, latest), choice)
        print(found, () => renderPostmortem(found))
        if (found.status === 'failed') process.exitCode = 1
      }),
    )
}

async function runFor(
  runs: Runs,
  given: string | undefined,
  latest: boolean | undefined,
): Promise<string> {
  if (given !== undefined && latest === true) {
    throw new LoopError('bad-request', 'Say a run or --latest, not both.')
  }
  if (given !== undefined) return given
  if (latest !== true) throw new LoopError('bad-request', 'Say which run, or --latest.')
  const ended = (await runs.list())
    .filter(({ status }) => isEnd(status))
    .toSorted((one, other) => other.updatedAtMs - one.updatedAtMs)
  if (ended[0] !== undefined) return ended[0].id
  throw new LoopError('unknown-run', 'No run has ended yet. See them: loopctl list')
}

function renderGone(
  word: string,
  { run, worktree, branch, commits, uncommitted }: Discarded,
): string {
  const gone = [
    ...(worktree === undefined ? [] : [`its worktree ${worktree}`]),
    ...(branch === undefined ? [] : [`its branch ${branch}`]),
  ]
  const lost = [
    ...(commits === 0 ? [] : [plural(commits, 'commit')]),
    ...(uncommitted.length === 0 ? [] : [plural(uncommitted.length, 'uncommitted file')]),
  ]
  return visible(
    `${word} ${run.name}: ${gone.length === 0 ? 'there was nothing to take away' : `${gone.join(' and ')} went`}` +
      `${lost.length === 0 ? '' : `, with ${lost.join(' and ')}`}. Its record stays: loopctl inspect ${run.name}`,
  )
}

function renderPostmortem({ run, rootCause, madeBy, problem, documents }: Postmortem): string {
  const head = visible(`${run.name}: ${run.status}, root cause: ${rootCause} (by ${madeBy})`)
  return [
    head,
    ...(problem === undefined ? [] : [visible(`It failed: ${problem}`)]),
    ...documents.flatMap(({ path, text, prompt }) => [
      '',
      `--- ${visible(path)}`,
      visibleText((text ?? prompt).trimEnd()),
    ]),
  ].join('\n')
}
