/**
 * The loop that builds what a spec asks for.
 *
 *   iteration
 *   ├─ skills           in the first iteration, if the loop uses them: which skills there are
 *   ├─ task             the first task that is open or awaits its review
 *   ├─ plan-file        writes the sealed tasks with their marks, where the file differs
 *   ├─ skills-maker     those that fit the task
 *   ├─ prompt           bounded, recorded
 *   ├─ agent:maker      does the task; its report is a claim
 *   ├─ plan             compares the file with the sealed tasks; differences are proposals
 *   ├─ plan-file        the sealed tasks for the reviewer, if the maker changed the file
 *   ├─ skills-reviewer  those that fit the task
 *   ├─ review           the prompt of the reviewer, with a new token
 *   ├─ agent:reviewer   fresh context, read-only; its verdict is parsed
 *   ├─ learnings        what was learned; learnings-file, if the file differs
 *   ├─ plan-file        the marks after the review
 *   ├─ ask:plan-changes once, when no sealed task is left: proposals of agents
 *   ├─ measure          if the loop measures its work
 *   ├─ check:…
 *   ├─ reopen           if checks failed: the task is open again
 *   ├─ changes          the changed files; patch, if the task is not settled
 *   ├─ watchdog         only if a signal fired
 *   └─ certify:…        by the engine, once the plan is done and the checks pass
 *
 * The iteration that drafts the plan ends after `plan`: `discard` restores the other files, and `plan-file` writes the plan.
 *
 * E3. Only the progress crosses iterations: the sealed plan, its marks, and the failures of each phase. E5. A task is done
 * because a review and the checks say so; the run, because the work is certified.
 */

import { defined, type LoopType } from '../../loop/index.ts'
import { createSectionedPrompt, toSections } from '../prompt-sections.ts'
import { buildConditions } from './build-conditions.ts'
import { draftPath, readBuildInput } from './build-input.ts'
import {
  addResult,
  type BuildProgress,
  type BuildResult,
  initialProgress,
  isClaim,
} from './build-progress.ts'
import { defaultPrompt } from './build-prompt.ts'
import {
  type BuildContext,
  type BuildPrompts,
  type BuildSettings,
  filesOf,
  type Session,
  writePlanFile,
} from './build-session.ts'
import { draft, implement } from './implement.ts'
import { findRunSkills, keepLearnings } from './knowledge.ts'
import { tasksMax } from './plan-grammar.ts'
import { askAboutProposals, mergeProposals } from './proposals.ts'
import { reviewPromptDefault } from './review.ts'
import { reviewTask } from './review-task.ts'
import {
  type Choice,
  chooseTask,
  countTasks,
  isDone,
  renderPlan,
  type SealedPlan,
  sealPlan,
  withMark,
} from './sealed-plan.ts'
import { verify } from './verify.ts'

export type BuildLoop = LoopType<unknown, BuildContext, BuildProgress, BuildResult>

export function buildLoop(settings: BuildSettings): BuildLoop {
  const isReviewed = settings.review !== false
  const { review, verification } = settings
  let prompts: Promise<BuildPrompts> | undefined
  return {
    name: settings.name,
    version: settings.version,
    revision: 1,
    createContext: (input, previous) => createBuildContext(settings, input, previous),
    async iterate(context, it) {
      prompts ??= createPrompts(settings)
      return iterate({ ...context, it, settings, isReviewed, prompts: await prompts })
    },
    extractProgress: (result, previous, { refusals }) =>
      addResult(previous ?? initialProgress(undefined), result, refusals),
    until: buildConditions(
      settings.until,
      {
        review: review === false ? Number.POSITIVE_INFINITY : review.failures,
        verification: verification.failures,
      },
      isReviewed,
    ),
  }
}

export function createBuildContext(
  { plan: named, plans }: Pick<BuildSettings, 'plan' | 'plans'>,
  given: unknown,
  previous: BuildProgress | undefined,
): BuildContext {
  const input = readBuildInput(given)
  const plan = input.plan === undefined ? undefined : sealPlan(input.plan.path, input.plan.text)
  const progress = previous ?? initialProgress(plan)
  return { input, progress, planPath: progress.plan?.path ?? draftPath(named, input.spec, plans) }
}

export async function createPrompts({
  prompt,
  review,
}: Pick<BuildSettings, 'prompt' | 'review'>): Promise<BuildPrompts> {
  const own = review === false ? undefined : review.prompt
  return {
    maker: await createSectionedPrompt(prompt ?? defaultPrompt),
    reviewer: await createSectionedPrompt(own ?? toSections(reviewPromptDefault)),
  }
}

async function iterate(given: Session): Promise<BuildResult> {
  const skills = await findRunSkills(given)
  const session = { ...given, skills }
  const { progress, isReviewed } = session
  const retried = progress.blocked.filter((one) => one.retried).map(({ task }) => task)
  const choice = chooseTask(progress.plan, isReviewed, retried)
  await begin(session, choice)
  const result =
    progress.plan === undefined
      ? await draftPlan(session, choice)
      : await workOnPlan(session, choice, progress.plan)
  return given.settings.skills === undefined ? result : { ...result, skills }
}

/** Records the choice, and makes sure that the file of the plan has the sealed tasks. */
async function begin(session: Session, choice: Choice): Promise<void> {
  const { it, isReviewed, progress } = session
  const { plan } = progress
  const { isStale } = await it.step(
    'task',
    async () => {
      const files = filesOf(session)
      const isOther = plan !== undefined && (await files.read(plan.path)) !== renderPlan(plan)
      const task = 'task' in choice ? choice.task : undefined
      const text = task === undefined ? undefined : plan?.tasks[task]?.text
      return {
        kind: choice.kind,
        ...(task === undefined ? {} : { task: task + 1 }),
        ...defined({ text }),
        ...countTasks(plan, isReviewed),
        isStale: isOther,
      }
    },
    { readOnly: true, role: 'task' },
  )
  if (isStale && plan !== undefined) await writePlanFile(session, plan)
}

async function draftPlan(session: Session, choice: Choice): Promise<BuildResult> {
  const { it, progress } = session
  const { report, plan } = await draft(session)
  const problem = `no task was found in ${session.planPath}, or more than ${tasksMax}`
  return {
    iteration: it.number,
    choice,
    ...defined({ plan, draftProblem: plan === undefined ? problem : undefined }),
    report,
    proposals: [],
    asked: progress.asked,
    failed: [],
    met: [],
    watchdog: progress.watchdog,
  }
}

async function workOnPlan(
  session: Session,
  choice: Choice,
  sealed: SealedPlan,
): Promise<BuildResult> {
  const { it, progress, isReviewed } = session
  const made = choice.kind === 'review' ? undefined : await implement(session, choice, sealed)
  const task = 'task' in choice ? choice.task : undefined
  const isClaimed = made === undefined || isClaim(made.report.status)
  const isBlocked =
    task !== undefined &&
    (made?.report.status === 'blocked' || made?.report.status === 'needs-context')
  const isReviewDue = task !== undefined && isClaimed && isReviewed
  // The reviewer sees the sealed plan.
  if (isReviewDue && made?.isPlanChanged === true) await writePlanFile(session, sealed)
  const review = isReviewDue
    ? await reviewTask(session, { task, before: made?.before, report: made?.report.text })
    : undefined
  await keepLearnings(session, task, made, review)
  const marked = markTask(sealed, task, { isBlocked, isClaimed, review })
  const proposals = mergeProposals(progress.proposals, made?.proposals ?? [])
  const isStale = made?.isPlanChanged === true && !isReviewDue
  if (isStale || renderPlan(marked) !== renderPlan(sealed)) await writePlanFile(session, marked)
  const retried = progress.blocked.some((one) => one.task === task) || choice.kind === 'retry'
  const blocked =
    isBlocked && made !== undefined ? { task, reason: made.report.text, retried } : undefined
  const isAsked =
    !progress.asked &&
    proposals.length > 0 &&
    isSettled(session, marked, blocked?.retried ? task : undefined)
  const agreed = isAsked ? await askAboutProposals(it, marked, proposals) : undefined
  if (agreed !== undefined) await writePlanFile(session, agreed.plan)
  const plan = agreed?.plan ?? marked
  const isDoneNow =
    task !== undefined && marked.tasks[task] !== undefined && isDone(marked.tasks[task], isReviewed)
  // Accepted proposals change the numbers of tasks.
  const taskNow = agreed === undefined || task === undefined ? task : agreed.moved.get(task)
  const verified = await verify(session, {
    task: taskNow,
    plan,
    made,
    isMarked: isBlocked || isDoneNow,
  })
  return {
    iteration: it.number,
    choice,
    plan,
    proposals,
    asked: progress.asked || isAsked,
    ...verified,
    ...defined({ task: taskNow, report: made?.report, review, blocked, moved: agreed?.moved }),
  }
}

interface TaskFindings {
  readonly isBlocked: boolean
  readonly isClaimed: boolean
  readonly review: BuildResult['review']
}

/** An unclear review leaves the task to be reviewed again; one that failed opens it. */
function markTask(
  plan: SealedPlan,
  task: number | undefined,
  { isBlocked, isClaimed, review }: TaskFindings,
): SealedPlan {
  if (task === undefined) return plan
  if (isBlocked) return withMark(plan, task, 'blocked')
  if (!isClaimed) return withMark(plan, task, 'open')
  if (review === undefined) return withMark(plan, task, 'implemented')
  if (review === 'pass') return withMark(plan, task, 'reviewed')
  return withMark(plan, task, review.verdict === 'unclear' ? 'implemented' : 'open')
}

/** No task is left but blocked ones that had their second attempt. */
function isSettled(
  { isReviewed, progress }: Session,
  plan: SealedPlan,
  retriedNow: number | undefined,
): boolean {
  const retried = progress.blocked.filter((one) => one.retried).map(({ task }) => task)
  return plan.tasks.every(
    (task, index) =>
      isDone(task, isReviewed) ||
      (task.mark === 'blocked' && (retried.includes(index) || index === retriedNow)),
  )
}
