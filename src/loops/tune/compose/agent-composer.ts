/**
 * The composer that is an agent. It works with its prompt alone: it has no tools and no file of the workspace, so nothing that it
 * does reaches the sealed cases or anything else. What it answers is data: it is parsed, checked by the rules, and asked again with
 * the reasons, three times at most.
 */

import type { AgentReport, Iteration } from '../../../loop/index.ts'
import { createToken } from '../../context/read-verdict.ts'
import type { ModeRules } from '../modes.ts'
import type { LogEntry } from '../report/log-entry.ts'
import { composerRole } from '../tune-roles.ts'
import type { Looping } from '../tune-state.ts'
import { findBrokenRules, type ProposalRules } from './check-proposal.ts'
import { writeComposerPrompt } from './composer-prompt.ts'
import type { Composition, Option } from './option.ts'
import { type Proposal, readProposal } from './proposal.ts'
import { readCaseTexts, readSources } from './read-sources.ts'
import { failingNow } from './search-composer.ts'

export const answersMax = 3

export interface ComposerRequest {
  readonly iteration: number
  readonly rules: ModeRules
  readonly feedback: readonly string[]
  /** Of the loop: what was tried is in it. */
  readonly log: readonly LogEntry[]
}

export interface Proposed {
  /** Without options: no answer followed the rules. */
  readonly composition: Composition
  /** Why answers were rejected, in order. */
  readonly rejected: readonly (readonly string[])[]
}

export async function composeByAgent(
  it: Iteration,
  looping: Looping,
  { log, ...asked }: ComposerRequest,
): Promise<Proposed> {
  const tried = log.flatMap((entry) => (entry.type === 'edit-applied' ? [entry.option.edits] : []))
  const rejected: (readonly string[])[] = []
  while (rejected.length < answersMax) {
    const { prompt, basis } = await it.step(
      'composer prompt',
      async () => {
        const sources = await readSources(it, looping.workload)
        const write = (token: string): string =>
          writeComposerPrompt(looping, sources, { ...asked, rejected }, token)
        return { prompt: write(createToken()), basis: write('') }
      },
      { readOnly: true, role: 'prompt' },
    )
    const report = await it.agent(
      composerRole,
      { prompt, basis },
      { readOnly: true, tools: { only: [] } },
    )
    const checked = await it.step(
      'composer rules',
      () => checkAnswer(it, looping, report, { tried, variables: asked.rules.variables }),
      {
        readOnly: true,
      },
    )
    if (checked.type === 'proposal') {
      return { composition: toComposition(checked.proposal, asked.iteration), rejected }
    }
    rejected.push(checked.reasons)
  }
  const rootCause = `The composer gave no usable answer in ${answersMax} attempts.`
  return { composition: { rootCause, options: [] }, rejected }
}

type Checked =
  | { readonly type: 'proposal'; readonly proposal: Proposal }
  | { readonly type: 'rejected'; readonly reasons: readonly string[] }

const reasonsMax = 20

async function checkAnswer(
  it: Iteration,
  looping: Looping,
  { status, text, ended }: AgentReport,
  { tried, variables }: Pick<ProposalRules, 'tried' | 'variables'>,
): Promise<Checked> {
  if (status !== 'done' && status !== 'done-with-concerns') {
    return { type: 'rejected', reasons: [`it gave no answer: it ended with ${ended ?? status}`] }
  }
  const read = readProposal(text)
  if (read.type === 'unreadable') return { type: 'rejected', reasons: [read.reason] }
  const { workload, incumbent } = looping
  const docs = await readSources(it, workload)
  const reasons = findBrokenRules(read.proposal, {
    incumbent: incumbent.version,
    suite: workload.split.suite,
    failing: failingNow(looping),
    tried,
    variables,
    docs: docs.docs.map((doc) => doc.text),
    cases: await readCaseTexts(it, workload),
  })
  if (reasons.length === 0) return { type: 'proposal', proposal: read.proposal }
  return { type: 'rejected', reasons: reasons.slice(0, reasonsMax) }
}

/** The recommended one first. */
function toComposition({ rootCause, options }: Proposal, iteration: number): Composition {
  const sorted = options.toSorted((a, b) => Number(b.recommended) - Number(a.recommended))
  return {
    rootCause,
    options: sorted.map(
      ({ name, summary, mechanism, edits, predicts, recommended }, at): Option => ({
        id: `${iteration}.${at + 1}`,
        name,
        summary,
        mechanism,
        edits,
        prediction: { improves: [...new Set(predicts)] },
        isRecommended: recommended,
      }),
    ),
  }
}
