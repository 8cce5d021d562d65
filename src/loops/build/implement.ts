/** The work of the maker: a task, a draft of the plan, or work that was not certified. */

import {
  type AgentReport,
  defined,
  FaultError,
  isLoopError,
  type Json,
  type TreeId,
} from '../../loop/index.ts'
import { isClaim } from './build-progress.ts'
import { type PromptMoment, promptTokensMax, toValues } from './build-prompt.ts'
import { filesOf, type Session, writePlanFile } from './build-session.ts'
import { type CompletionHint, readCompletionHint } from './completion-hint.ts'
import { describeKnowledge, readLearnings, readSkills } from './knowledge.ts'
import {
  type Choice,
  countTasks,
  findProposals,
  type PlanCounts,
  type Proposal,
  renderPlan,
  type SealedPlan,
  sealDraft,
  sealPlan,
} from './sealed-plan.ts'

export interface Implemented {
  readonly prompt: string
  readonly report: AgentReport
  /** The files before. */
  readonly before: TreeId
  readonly hint: CompletionHint
  readonly proposals: readonly Proposal[]
  /** The agent changed the file of the plan, and it is not restored yet. */
  readonly isPlanChanged: boolean
  /** The file with learnings before the agent worked. Absent: none is kept. */
  readonly learnings?: string
}

export interface Drafted extends Omit<Implemented, 'isPlanChanged' | 'proposals' | 'learnings'> {
  /** Undefined: no task was found. */
  readonly plan: SealedPlan | undefined
}

interface WrittenPrompt {
  readonly prompt: string
  readonly tree: TreeId
  readonly learnings?: string
}

export async function implement(
  session: Session,
  choice: Choice,
  plan: SealedPlan,
): Promise<Implemented> {
  const { prompt, report, before, learnings } = await work(session, choice)
  const hint = readCompletionHint(report.text, session.settings.completion)
  const seen = await session.it.step(
    'plan',
    async () => {
      const found = await filesOf(session).read(plan.path)
      const isChanged = found !== renderPlan(plan)
      const proposals = isChanged ? findProposals(plan, found) : []
      return { isChanged, proposals, ...describeHint(session, hint, report, plan) }
    },
    { readOnly: true, role: 'plan' },
  )
  return {
    prompt,
    report,
    before,
    hint,
    proposals: seen.proposals,
    isPlanChanged: seen.isChanged,
    ...defined({ learnings }),
  }
}

/** Nothing but the file of the plan may change. */
export async function draft(session: Session): Promise<Drafted> {
  const { it, planPath } = session
  const { prompt, report, before } = await work(session, { kind: 'draft' })
  const hint = readCompletionHint(report.text, session.settings.completion)
  const { text } = await it.step(
    'plan',
    async () => {
      const found = await filesOf(session).read(planPath)
      const isPlan = found !== undefined && sealPlan(planPath, found) !== undefined
      return { text: isPlan ? found : null, ...describeHint(session, hint, report) }
    },
    { readOnly: true, role: 'plan' },
  )
  await it.step('discard', () => filesOf(session).restore(before), { role: 'discard' })
  const plan = text === null ? undefined : sealDraft(planPath, text)
  if (plan !== undefined) await writePlanFile(session, plan)
  return { prompt, report, before, hint, plan }
}

/** `pending`: tasks that are left if the claim of the agent is true. */
function describeHint(
  { settings, isReviewed }: Session,
  hint: CompletionHint,
  { status }: AgentReport,
  plan?: SealedPlan,
): HintNote {
  const { done, total } = countTasks(plan, isReviewed)
  const pending = Math.max(0, total - done - (isClaim(status) ? 1 : 0))
  return { hint, mode: settings.completion.mode, done, total, pending }
}

interface HintNote extends PlanCounts {
  readonly hint: CompletionHint
  readonly mode: string
  readonly pending: number
}

async function work(
  session: Session,
  choice: Choice,
): Promise<Pick<Implemented, 'prompt' | 'report' | 'before' | 'learnings'>> {
  const { it, settings, progress } = session
  const task = 'task' in choice ? (progress.plan?.tasks[choice.task]?.text ?? '') : ''
  const skills = await readSkills(session, 'maker', task)
  const written: WrittenPrompt = await it.step('prompt', () => write(session, choice, skills), {
    readOnly: true,
    retry: { attempts: 1 },
    role: 'prompt',
  })
  const { prompt, tree, learnings } = written
  const report = await it.agent('maker', { prompt }, defined({ retry: settings.retry }))
  return { prompt, report, before: tree, ...defined({ learnings }) }
}

/** An error in a prompt is fatal: it would occur in every iteration. */
async function write(
  session: Session,
  choice: Choice,
  skills: string,
): Promise<WrittenPrompt & { readonly tokens: number }> {
  const { it, prompts } = session
  const files = filesOf(session)
  try {
    const guidance = await it.guidance()
    const learnings = await readLearnings(session)
    const known = describeKnowledge(learnings, session.progress.measurements)
    const values = await readValues(session, { choice, guidance, skills, ...known })
    const { text, tokens } = prompts.maker.write(values, { tokensMax: promptTokensMax, guidance })
    return { prompt: text, tokens, tree: files.tree, ...defined({ learnings }) }
  } catch (error) {
    if (!isLoopError(error)) throw error
    const { code, message } = error
    throw new FaultError({ code, message, retryable: false, fatal: true }, { cause: error })
  }
}

/** Reads only what the prompt uses. */
async function readValues(
  session: Session,
  moment: Omit<PromptMoment, 'iteration' | 'git' | 'contextFiles'>,
): Promise<{ readonly [name: string]: Json }> {
  const { it, prompts, settings } = session
  const { variables } = prompts.maker
  const files = filesOf(session)
  const usesGit = variables.some((name) => name.startsWith('git_'))
  const contextFiles = variables.includes('context') ? settings.contextFiles : []
  const texts = await Promise.all(
    contextFiles.map(async (path) => ({ path, text: (await files.read(path)) ?? '' })),
  )
  return toValues(session, {
    ...moment,
    iteration: it.number,
    git: usesGit ? await files.git() : undefined,
    contextFiles: texts.filter(({ text }) => text !== ''),
  })
}
