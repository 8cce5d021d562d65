/**
 * Consultation: another agent reviews the work before it is certified. The maker gets the concerns that it raised,
 * and the consultant is asked again afterwards. If it does not answer, a person decides.
 */

import type { CertifyContext, TreeReader } from '../../engine/index.ts'
import {
  type AgentReport,
  FaultError,
  type Finding,
  type TreeId,
  textOf,
} from '../../loop/index.ts'
import { parseReview, type Review, reviewPrompt } from '../../protocol/index.ts'
import type { CertificationCheckout } from '../parts.ts'
import type {
  CertificationContext,
  Consultant,
  Consultation,
  RaisedConcerns,
} from './certification.ts'
import type { Concern } from './observations.ts'

export interface ConsultationResults {
  readonly consultations: readonly Consultation[]
  readonly concerns: readonly Concern[]
}

export function createInMemoryConcerns(): RaisedConcerns {
  const known = new Map<string, readonly Finding[]>()
  return {
    find: async (run, consultant) => known.get(`${run} ${consultant}`) ?? [],
    keep: async (run, consultant, findings) => void known.set(`${run} ${consultant}`, findings),
  }
}

/** Skipped for work that cannot be certified anyway. */
export async function consultAll(
  certifying: CertificationContext,
  place: CertificationCheckout,
  before: readonly Concern[],
): Promise<ConsultationResults> {
  const { parts } = certifying
  if (before.some(({ mayBeApproved }) => !mayBeApproved)) return { consultations: [], concerns: [] }
  const consultations: Consultation[] = []
  const concerns: Concern[] = []
  for (const consultant of parts.consultants) {
    const consultation = await consult(certifying, place, consultant)
    consultations.push(consultation)
    const concern = toConcern(consultation)
    if (concern !== undefined) concerns.push(concern)
  }
  return { consultations, concerns }
}

const diffBytesMax = 60_000

async function consult(
  { parts, memory, subject, context, tree, base }: CertificationContext,
  place: CertificationCheckout,
  { name, prompt, timeoutMs, agent }: Consultant,
): Promise<Consultation> {
  const raised = await memory.raised.find(subject.run, name)
  const token = parts.token()
  const diff = await parts.reader.patch(
    base,
    tree,
    await listDifferences(parts.reader, base, tree),
    diffBytesMax,
  )
  await place.checkout.reset(tree)
  const review = await requestReview(
    token,
    async () => {
      if (place.agents === undefined) throw new Error(`There is no agent for "${name}".`)
      const task = { prompt: reviewPrompt(taskText(prompt, diff, raised), token) }
      return context.work(place.agents, `consult:${name}`, task, place.checkout.path, { timeoutMs })
    },
    context,
  )
  const status = toStatus(review, raised)
  if (status === 'concerns-raised') await memory.raised.keep(subject.run, name, review.reasons)
  return { name, status, agent, atMs: parts.now(), reasons: review.reasons }
}

/** A consultant that was cut off, failed, or did not answer in the required form has not answered. */
async function requestReview(
  token: string,
  ask: () => Promise<AgentReport>,
  { signal }: CertifyContext,
): Promise<Review> {
  try {
    return parseReview((await ask()).text, token)
  } catch (error) {
    signal.throwIfAborted()
    if (isFaultOfRun(error)) throw error
    return { verdict: 'unclear', reasons: [{ text: textOf(error) }] }
  }
}

/** A limit of the run or of the iteration, or a rate limit of the provider, is not the fault of the consultant. */
const isFaultOfRun = (error: unknown): boolean =>
  error instanceof FaultError &&
  (error.fault.limit !== undefined || faultsOfRun.has(error.fault.code))

const faultsOfRun: ReadonlySet<string> = new Set(['rate-limited', 'iteration-limit'])

function toStatus({ verdict }: Review, raised: readonly Finding[]): Consultation['status'] {
  if (verdict === 'unclear') return 'no-answer'
  return verdict === 'approved' && raised.length > 0 ? 'resolved' : verdict
}

function toConcern({ name, status, reasons }: Consultation): Concern | undefined {
  const listed = reasons.map(describe).join('\n')
  switch (status) {
    case 'approved':
    case 'resolved':
      return undefined
    case 'no-answer':
      return {
        code: 'unclear',
        message: `The consultant "${name}" did not answer in time or in the required form. A person must decide instead:\n${listed}`,
        mayBeApproved: true,
      }
    case 'concerns-raised':
    case 'rejected':
      return {
        code: status === 'rejected' ? 'rejected' : 'concerns',
        message: `"${name}" reviewed the work and ${status === 'rejected' ? 'rejects it' : 'has concerns'}:\n${listed}`,
        findings: reasons,
        mayBeApproved: false,
      }
  }
}

const describe = ({ text, file, line }: Finding): string =>
  `- ${file === undefined ? '' : `${file}${line === undefined ? '' : `:${line}`}: `}${text}`

/** Marks text of others, so that it cannot be mistaken for ours. */
const quoted = (text: string): string => text.replaceAll(/^/gm, '> ')

function taskText(prompt: string, diff: string, raised: readonly Finding[]): string {
  const earlier =
    raised.length === 0
      ? ''
      : `\n\nYou reviewed an earlier state and raised this. Say whether it is resolved:\n${quoted(raised.map(describe).join('\n'))}`
  const changes = diff === '' ? '' : `\n\nWhat was changed:\n${quoted(diff)}`
  return `${prompt.trimEnd()}${earlier}${changes}\n\nThe files are in your working directory. You may only read them.`
}

export async function listDifferences(
  reader: TreeReader,
  base: TreeId,
  tree: TreeId,
): Promise<readonly string[]> {
  const [before, after] = await Promise.all([reader.list(base), reader.list(tree)])
  const paths = new Set([...before.keys(), ...after.keys()])
  return [...paths].filter((path) => {
    const [one, other] = [before.get(path), after.get(path)]
    return one?.content !== other?.content || one?.kind !== other?.kind
  })
}
