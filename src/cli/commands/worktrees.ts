/** Commands about what runs made in git: diff, merge, worktrees, worktrees clean. */

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { type ErrorDetails, isLoopError, LoopError } from '../../loop/index.ts'
import type {
  CleanedWorktree,
  Diff,
  MergeRequest,
  MergeResponse,
} from '../../protocol/api/index.ts'
import type { DiffChoice } from '../connection/runs.ts'
import { plural } from '../display/amounts.ts'
import { leftOutLine } from '../display/left-out-line.ts'
import { renderQuestionReview } from '../display/question-review.ts'
import { renderTable, visible, visibleText } from '../display/render.ts'
import { noneText, renderWorktrees } from '../display/worktrees-view.ts'
import { type EarlierOptions, toEarlier } from '../earlier-option.ts'
import { printPaged } from '../pager.ts'
import { requireYes } from '../require-yes.ts'
import { folderName, who, wholeNumber, withExistingHost, withRuns } from '../session.ts'

export function addDiff(program: Command): void {
  program
    .command('diff [run]')
    .description('show what a run changed, as a patch')
    .option('--iteration <n>', 'only the changes of this iteration', wholeNumber)
    .option('--stat', 'only file names and numbers of changed lines')
    .option('--review', 'show everything that an open question asks to approve')
    .action(async (run: string | undefined, options: ShowDiffOptions, command: Command) => {
      if (options.review === true) return showReview(program, run, options)
      if (run === undefined) command.error("error: missing required argument 'run'")
      return showDiff(program, run, options)
    })
}

interface ShowDiffOptions extends DiffChoice {
  readonly review?: boolean
}

const showDiff = (program: Command, run: string, options: DiffChoice): Promise<void> =>
  withRuns(program, async (runs, { print }) => {
    const diff = await runs.diff(run, options)
    print(diff, () => renderDiff(diff))
    const left = leftOutLine(diff.leftOut)
    // On standard error, so that the patch stays valid.
    if (left !== undefined) process.stderr.write(`warning: ${left}\n`)
  })

async function showReview(
  program: Command,
  run: string | undefined,
  { iteration, stat }: DiffChoice,
): Promise<void> {
  if (iteration !== undefined || stat === true) {
    throw new LoopError(
      'bad-request',
      '--review conflicts with --iteration and --stat; use one of them.',
    )
  }
  await withExistingHost(program, async (host, { json, print, terminal }) => {
    const review = await host.reviewQuestion(run)
    if (json) return print(review, String)
    await printPaged(visibleText(renderQuestionReview(review)), terminal)
  })
}

interface MergeOptions extends Omit<MergeRequest, 'by' | 'earlier'>, EarlierOptions {}

export function addMerge(program: Command): void {
  program
    .command('merge <run>')
    .description('merge a completed run into a branch; touches no checkout')
    .option('--into <branch>', 'target branch, created if missing (default: agent/<loop>)')
    .addOption(
      new Option('--strategy <strategy>', 'one squashed commit, or all commits')
        .choices(['squash', 'merge'])
        .default('squash'),
    )
    .option('--happened', 'an earlier attempt with unknown result happened')
    .option('--again', 'do it again although its result is unknown')
    .action((run: string, { happened, again, ...options }: MergeOptions) =>
      withRuns(program, async (runs, { print }) => {
        const request = { ...options, ...toEarlier({ happened, again }), by: who() }
        const result = await runs.merge(run, request).catch((error: unknown) => {
          const found = isLoopError(error) ? error.details?.conflict : undefined
          throw found === undefined ? error : conflict(run, found)
        })
        print(result, () =>
          result.status === 'merged'
            ? `merged into ${result.target} as ${result.commit.slice(0, 12)}. ${nextStep(result)}`
            : `${result.target} already contains it. ${nextStep(result)}`,
        )
      }),
    )
}

export function addLand(program: Command): void {
  program
    .command('land <run>')
    .description('merge a completed run into one of your own branches')
    .requiredOption('--onto <branch>', 'the branch to land on; it must not be checked out')
    .option('--happened', 'an earlier attempt with unknown result happened')
    .option('--again', 'do it again although its result is unknown')
    .action((run: string, { happened, again, onto }: EarlierOptions & { onto: string }) =>
      withRuns(program, async (runs, { print }) => {
        const request = { onto, ...toEarlier({ happened, again }), by: who() }
        const result = await runs.land(run, request)
        print(result, () =>
          result.status === 'merged'
            ? visible(`landed on ${result.target} as ${result.commit.slice(0, 12)}.`)
            : visible(`${result.target} already contains it.`),
        )
      }),
    )
}

const nextStep = ({ target }: MergeResponse): string =>
  visible(
    `Merge it into your branch: git merge ${target}. Remove worktrees of ended runs: loopctl worktrees clean`,
  )

const conflict = (
  run: string,
  { target, branch, files }: NonNullable<ErrorDetails['conflict']>,
): LoopError =>
  new LoopError(
    'wrong-status',
    visible(
      `${run} conflicts with ${target} in ${files.join(', ')}. Nothing was changed. Merge it by hand ` +
        `(git switch ${target}, then git merge ${branch}), or run the loop again from there (--base ${target}).`,
    ),
  )

export function addWorktrees(program: Command): void {
  const worktrees = program
    .command('worktrees')
    .description('list the git worktrees of runs, with their sizes')
    .option('--repo <folder>', 'only those of this repository (default: of all runs)', folderName)
    .action((options: RepoOption) =>
      withRuns(
        program,
        async (runs, { json, print, terminal }) => {
          const entries = await runs.worktrees(chosen(options))
          if (json) for (const entry of entries) print(entry, String)
          else print(entries, () => renderWorktrees(entries, terminal))
        },
        ({ json, print }) => {
          if (!json) print([], noneText)
        },
      ),
    )
  worktrees
    .command('clean')
    .description('remove worktrees of ended runs whose work is saved elsewhere')
    .option('--repo <folder>', 'only those of this repository (default: of all runs)', folderName)
    .option('--dry-run', 'only print what would be removed')
    .option('--yes', 'do not ask for confirmation')
    .action((options: RepoOption & { dryRun?: boolean; yes?: boolean }) =>
      withRuns(program, async (runs, session) => {
        const { json, print } = session
        const repo = options.repo ?? worktrees.opts<RepoOption>().repo
        const clean = (isDry: boolean): Promise<readonly CleanedWorktree[]> =>
          runs.cleanWorktrees({ ...chosen({ ...options, repo }), dryRun: isDry })
        const dryRun = options.dryRun === true
        if (!dryRun && options.yes !== true) {
          const going = (await clean(true)).filter((one) => one.status !== 'kept')
          const what = `remove ${plural(going.length, 'worktree')}: ${going.map(({ path }) => path).join(', ')}`
          if (going.length > 0) await requireYes(session, what, options.yes)
        }
        const cleaned = await clean(dryRun)
        if (json) for (const one of cleaned) print(one, String)
        else print(cleaned, () => renderCleaned(cleaned, dryRun))
      }),
    )
}

export function addWorktreeRemoval(program: Command): void {
  program
    .command('worktree-rm <worktree>')
    .description('remove the worktree of an ended run')
    .option('-f, --force', 'even if its work is saved nowhere else')
    .option('--yes', 'with --force: do not ask for confirmation')
    .action((worktree: string, { force, yes }: { force?: boolean; yes?: boolean }) =>
      withRuns(program, async (runs, session) => {
        if (force === true) {
          const what = `remove the worktree of ${worktree} with everything in it`
          await requireYes(session, what, yes)
        }
        const which = existsSync(worktree) ? resolve(worktree) : worktree
        const removed = await runs.removeWorktree(which, { force: force === true })
        const kept = removed.find((one) => one.status === 'kept')
        if (kept !== undefined) {
          const message = `The worktree ${kept.path} was kept: ${kept.why}.`
          throw new LoopError(
            'wrong-status',
            visible(`${message} To remove it anyway, pass --force.`),
          )
        }
        for (const one of removed) session.print(one, () => renderCleaned([one], false))
      }),
    )
}

interface RepoOption {
  readonly repo?: string | undefined
}

const chosen = ({ repo }: RepoOption): { readonly repository?: string } =>
  repo === undefined ? {} : { repository: resolve(repo) }

function renderDiff({ run, files, patch }: Diff): string {
  if (files.length === 0) return visible(`${run.name} changed nothing.`)
  if (patch !== undefined) return visibleText(patch.trimEnd())
  const rows = files.map(({ path, added, removed }) => [
    path,
    added === undefined ? 'binary' : `+${added} -${removed ?? 0}`,
  ])
  return [renderTable(rows), plural(files.length, 'file')].join('\n')
}

function renderCleaned(cleaned: readonly CleanedWorktree[], dryRun: boolean): string {
  if (cleaned.length === 0) return noneText()
  return cleaned
    .map((one) => {
      const what = `${one.run?.name ?? one.branch}  ${one.path}`
      if (one.status === 'kept') return visible(`kept     ${what}: ${one.why}`)
      const branch =
        one.branchKept === undefined ? '' : `; branch ${one.branch} kept: ${one.branchKept}`
      return visible(`${dryRun ? 'would remove  ' : 'removed  '}${what}${branch}`)
    })
    .join('\n')
}
