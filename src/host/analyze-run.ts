/**
 * Writes the postmortem of an ended run: what happened, why it ended, whether the work is what was asked for. A model
 * writes it if one is named; otherwise it is derived from the journal. The run itself is not changed.
 */

import {
  collectPostmortemInput,
  createBuiltInPostmortem,
  type Postmortem,
  type PostmortemInput,
  toDocuments,
  toFiles,
} from '../history/postmortem/built-in.ts'
import { rootCauses } from '../history/postmortem/find-root-cause.ts'
import { type DocumentName, writeDocument } from '../history/postmortem/write-documents.ts'
import { type RunFolderOptions, writeRunFolder } from '../history/run-folder/index.ts'
import type { PostmortemFact } from '../history/run-folder/postmortem-rows.ts'
import { askModel } from '../launch/ask-model.ts'
import type { LaunchHost } from '../launch/launch-host.ts'
import { add, defined, isEnd, LoopError, textOf, zero } from '../loop/index.ts'

export interface AnalyzeOptions extends Pick<RunFolderOptions, 'logDir' | 'onProblem'> {
  /** `provider/model`; absent: derived from the journal. */
  readonly model?: string
  /** Only writes the prompts. */
  readonly promptOnly?: boolean
  readonly signal?: AbortSignal
}

/** Stored as a fact of the run, besides the files. */
interface KeptPostmortem extends PostmortemFact {
  readonly postmortem: Postmortem
}

type AnalyzeHost = LaunchHost

const factName = 'postmortem'

/** Rejects with `wrong-status` for a run that has not ended. */
export async function analyzeRun(
  host: AnalyzeHost,
  idOrName: string,
  options: AnalyzeOptions = {},
): Promise<Postmortem> {
  const run = await host.journal.findRun(idOrName)
  const { id, name, status } = run
  if (!isEnd(status)) {
    const message = `Run "${name}" has not ended (${status}). Wait for it: loopctl tail -f ${name}`
    throw new LoopError('wrong-status', message)
  }
  const startedAtMs = Date.now()
  const material = await collectPostmortemInput(host, run)
  const made = await makeDocuments(host, material, options)
  const endedAtMs = Date.now()
  const postmortem: Postmortem = { run: { id, name, status }, ...made, atMs: endedAtMs }
  const kept: KeptPostmortem = {
    startedAtMs,
    endedAtMs,
    status: made.status,
    reason: 'asked',
    files: { ...toFiles(made.documents), ...material.git },
    postmortem,
  }
  await host.journal.setFact(id, factName, {
    value: JSON.parse(JSON.stringify(kept)),
    atMs: endedAtMs,
  })
  const { logDir, onProblem } = options
  await writeRunFolder(host, id, defined({ logDir, onProblem })).catch((error: unknown) =>
    onProblem?.(textOf(error)),
  )
  return postmortem
}

/** The newest analysis, else the one made from the journal alone; undefined before the end. */
export async function readPostmortem(
  host: AnalyzeHost,
  idOrName: string,
): Promise<Postmortem | undefined> {
  const run = await host.journal.findRun(idOrName)
  const fact = (await host.journal.facts(run.id)).get(factName)
  if (fact !== undefined) return (fact.value as unknown as KeptPostmortem).postmortem
  if (!isEnd(run.status)) return undefined
  const { files: _files, ...postmortem } = await createBuiltInPostmortem(host, run)
  return postmortem
}

type Made = Omit<Postmortem, 'run' | 'atMs'>

async function makeDocuments(
  host: AnalyzeHost,
  material: PostmortemInput,
  options: AnalyzeOptions,
): Promise<Made> {
  const { found, cause } = material
  const { model, promptOnly = false } = options
  const own = (name: DocumentName): string => writeDocument(name, found, cause)
  const rootCause = cause.cause
  if (promptOnly || model === undefined) {
    const documents = toDocuments(material, promptOnly ? undefined : own)
    return { status: 'ok', rootCause, madeBy: 'built-in', spent: zero, documents }
  }
  try {
    return { ...(await askFor(host, material, { ...options, model })), status: 'ok', madeBy: model }
  } catch (error) {
    if (isRejection(error)) throw error
    const documents = toDocuments(material, own)
    const problem = `${model} did not answer: ${textOf(error)}`.slice(0, 1000)
    return { status: 'failed', problem, rootCause, madeBy: 'built-in', spent: zero, documents }
  }
}

/** A missing key or an unknown model: the user can fix that. */
const isRejection = (error: unknown): boolean => error instanceof LoopError

const outputTokensMax = 4000
const costMicrosMax = 500_000
const timeoutMs = 120_000

async function askFor(
  { models }: AnalyzeHost,
  material: PostmortemInput,
  { model, signal }: AnalyzeOptions & { readonly model: string },
): Promise<Pick<Made, 'rootCause' | 'spent' | 'documents'>> {
  let spent = zero
  const texts = new Map<DocumentName, string>()
  for (const { name, prompt } of toDocuments(material, undefined)) {
    const answer = await askModel(models, {
      model,
      system: 'You write postmortems of work that others did. Be precise and brief.',
      prompt,
      outputTokensMax,
      costMicrosMax,
      timeoutMs,
      ...defined({ signal }),
    })
    spent = add(spent, answer.spent)
    texts.set(name, answer.text)
  }
  const stated = /root cause:\s*([a-z -]+)/i.exec(texts.get('summary') ?? '')?.[1]
  const wanted = stated?.trim().toLowerCase().replaceAll(' ', '-')
  const rootCause = rootCauses.find((one) => one === wanted) ?? material.cause.cause
  return { rootCause, spent, documents: toDocuments(material, (name) => texts.get(name) ?? '') }
}
