/** A postmortem from the journal alone, without a model: free and reproducible. */

import type { RunRow } from '../../engine/index.ts'
import { type Amount, zero } from '../../loop/index.ts'
import { maskDeep } from '../../system/mask.ts'
import type { ReviewDiff } from '../review-diff.ts'
import type { FolderHost } from '../run-folder/options.ts'
import { collectFindings, type Findings } from './collect-findings.ts'
import { createRunMask } from './create-run-mask.ts'
import { type FoundCause, findRootCause, type RootCause } from './find-root-cause.ts'
import { type GitFiles, gitFiles } from './git-files.ts'
import { type DocumentName, documentNames, writeDocument, writePrompt } from './write-documents.ts'

export interface Postmortem {
  readonly run: Pick<RunRow, 'id' | 'name' | 'status'>
  readonly status: 'ok' | 'failed'
  /** Why the analysis failed; then the documents come from the journal alone. */
  readonly problem?: string
  readonly rootCause: RootCause
  /** `built-in`, or the model. */
  readonly madeBy: string
  readonly atMs: number
  readonly spent: Amount
  readonly documents: readonly PostmortemDocument[]
}

export interface PostmortemDocument {
  readonly name: DocumentName
  /** In the run folder: `analysis/summary.md`. */
  readonly path: string
  /** Absent if only prompts were requested. */
  readonly text?: string
  readonly prompt: string
}

/** The input of the documents. */
export interface PostmortemInput {
  readonly found: Findings
  readonly cause: FoundCause
  readonly git: GitFiles
}

export async function collectPostmortemInput(
  host: FolderHost,
  run: RunRow,
  compared?: ReviewDiff,
): Promise<PostmortemInput> {
  const found = await collectFindings(host, run)
  const git = maskDeep(await createRunMask(host, run), await gitFiles(host, run, compared))
  return { found, cause: findRootCause(found), git }
}

export async function createBuiltInPostmortem(
  host: FolderHost,
  run: RunRow,
  compared?: ReviewDiff,
): Promise<Postmortem & { readonly files: Readonly<Record<string, string>> }> {
  const material = await collectPostmortemInput(host, run, compared)
  const { found, cause, git } = material
  const documents = toDocuments(material, (name) => writeDocument(name, found, cause))
  const { id, name, status } = run
  return {
    run: { id, name, status },
    status: 'ok',
    rootCause: cause.cause,
    madeBy: 'built-in',
    atMs: run.updatedAtMs,
    spent: zero,
    documents,
    files: { ...toFiles(documents), ...git },
  }
}

export const toDocuments = (
  { found, cause, git }: PostmortemInput,
  textFor: ((name: DocumentName) => string) | undefined,
): readonly PostmortemDocument[] =>
  documentNames.map((name) => ({
    name,
    path: `analysis/${name}.md`,
    prompt: writePrompt(name, found, cause, git['git-diff.patch'] ?? ''),
    ...(textFor === undefined ? {} : { text: textFor(name) }),
  }))

export const toFiles = (
  documents: readonly PostmortemDocument[],
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    documents.flatMap(({ name, text, prompt }) => [
      [`${name}-prompt.txt`, prompt],
      ...(text === undefined ? [] : [[`${name}.md`, text]]),
    ]),
  )
