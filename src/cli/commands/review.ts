/** Commands about the work of a run once it is there: scrap, reset, create-pr, analyze. */

import type { Command } from 'commander'
import { isEnd, LoopError } from '../../loop/index.ts'
import type { Discarded, Postmortem, PullRequestRequest } from '../../protocol/api/index.ts'
import type { Runs } from '../connection/runs.ts'
import { plural } from '../display/amounts.ts'
import { visible, visibleText } from '../display/render.ts'
import { type EarlierOptions, toEarlier } from '../earlier-option.ts'
import { requireYes } from '../require-yes.ts'
import { who, withRuns } from '../session.ts'

interface YesOption {
  readonly yes?: boolean
}

interface PullRequestOptions extends Omit<PullRequestRequest, 'by' | 'earlier'>, EarlierOptions {}

export function addReview(program: Command): void {
  program
    .command('scrap <run>')
    .description('delete the worktree and branch of an ended run')
    .option('--yes', 'do not ask for confirmation')
    .action((run: string, { yes }: YesOption) =>
      withRuns(program, async (runs, session) => {
        const { name } = (await runs.inspect(run)).run
        await requireYes(session, `delete the worktree and branch of ${name}`, yes)
        const gone = await runs.scrap(run, who())
        session.print(gone, () => renderDiscarded(gone))
      }),
    )
  program
    .command('reset <run>')
    .description('cancel a run and delete its worktree and branch')
    .option('--yes', 'do not ask for confirmation')
    .action((run: string, { yes }: YesOption) =>
      withRuns(program, async (runs, session) => {
        const { name, status } = (await runs.inspect(run)).run
        const cancel = isEnd(status) ? '' : `cancel ${name} and `
        await requireYes(session, `${cancel}delete the worktree and branch of ${name}`, yes)
        const gone = await runs.reset(run, who())
        session.print(gone, () => renderDiscarded(gone))
      }),
    )
  program
    .command('create-pr <run>')
    .description('open a pull request for a certified run (needs gh)')
    .option('--remote <name>', 'where to push (default: origin)')
    .option('--base <branch>', 'target branch (default: the branch the run started from)')
    .option('--title <text>', 'title of the pull request')
    .option('--body <text>', 'description of the pull request')
    .option('--draft', 'open it as a draft')
    .option('--happened', 'an earlier attempt with unknown result happened')
    .option('--again', 'do it again although its result is unknown')
    .action((run: string, { happened, again, ...options }: PullRequestOptions) =>
      withRuns(program, async (runs, { print }) => {
        const earlier = toEarlier({ happened, again })
        const made = await runs.createPullRequest(run, { ...options, ...earlier, by: who() })
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
    .description('explain what an ended run did and why it ended')
    .option('--latest', 'analyze the run that ended last')
    .option('--model <provider/model>', 'ask this model (default: use no model)')
    .option('--prompt-only', 'only write the prompt for the model')
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
    throw new LoopError('bad-request', 'A run and --latest conflict; use one of them.')
  }
  if (given !== undefined) return given
  if (latest !== true) throw new LoopError('bad-request', 'Pass a run, or --latest.')
  const ended = (await runs.list())
    .filter(({ status }) => isEnd(status))
    .toSorted((one, other) => other.updatedAtMs - one.updatedAtMs)
  if (ended[0] !== undefined) return ended[0].id
  throw new LoopError('unknown-run', 'No run has ended yet. List the runs: loopctl list')
}

function renderDiscarded({ run, worktree, branch, commits, uncommitted }: Discarded): string {
  const deleted = [
    ...(worktree === undefined ? [] : [`worktree ${worktree}`]),
    ...(branch === undefined ? [] : [`branch ${branch}`]),
  ]
  const lost = [
    ...(commits === 0 ? [] : [plural(commits, 'commit')]),
    ...(uncommitted.length === 0 ? [] : [plural(uncommitted.length, 'uncommitted file')]),
  ]
  const what =
    deleted.length === 0 ? `${run.name} had nothing to delete` : `Deleted ${deleted.join(' and ')}`
  const losses = lost.length === 0 ? '' : ` (${lost.join(', ')})`
  return visible(`${what}${losses}. The run stays in the journal: loopctl inspect ${run.name}`)
}

function renderPostmortem({ run, rootCause, madeBy, problem, documents }: Postmortem): string {
  const head = visible(`${run.name}: ${run.status}, root cause: ${rootCause} (found by ${madeBy})`)
  return [
    head,
    ...(problem === undefined ? [] : [visible(`The analysis failed: ${problem}`)]),
    ...documents.flatMap(({ path, text, prompt }) => [
      '',
      `--- ${visible(path)}`,
      visibleText((text ?? prompt).trimEnd()),
    ]),
  ].join('\n')
}
