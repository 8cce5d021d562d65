/**
 * Writes the loop files of `init` and of the catalog, and stores the loops of runs without a file.
 *
 * 1. An existing file is never replaced.
 * 2. A written file is trusted: the user chose its content (ADR 0051).
 */

import { createHash } from 'node:crypto'
import { existsSync, lstatSync } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LoopError } from '../../loop/index.ts'
import { makeFolder } from '../../system/index.ts'
import { makePrivateFolder } from '../../workspace/private-folder.ts'
import { previewLoop, trustLoop } from '../load-loop.ts'
import { nameLoop } from './loop-names.ts'
import { type InitText, initText, inlineText, type LoopDraft } from './loop-text.ts'

export interface WrittenLoop {
  /** Absolute. */
  readonly file: string
  readonly digest: string
}

/** Where `init` writes: a path, or a name for a file in `loops/`. */
export function initFile(folder: string, named: string | undefined): string {
  const name = named ?? 'fix'
  if (/\.ya?ml$/.test(name)) return resolve(folder, name)
  if (/^[A-Za-z0-9][\w.-]{0,99}$/.test(name)) return join(folder, 'loops', `${name}.yaml`)
  throw new LoopError(
    'bad-request',
    `"${name}" is not a name for a loop file. Use a name such as fix, or a path that ends in .yaml.`,
  )
}

/** `again`: the command that writes it under another name. */
export function requireNew(file: string, again = 'loopctl init <name>'): void {
  if (!existsSync(file)) return
  throw new LoopError(
    'bad-request',
    `${file} exists, and loopctl does not overwrite loop files. Edit it, or use another name: ${again}`,
  )
}

/** A repository may contain a link to anywhere, but files for a folder must be written inside it. */
function requireNoLinks(folder: string, target: string): void {
  const inner = relative(folder, target)
  if (inner === '' || inner.startsWith('..')) return
  let path = folder
  for (const part of inner.split(sep)) {
    path = join(path, part)
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) continue
    throw new LoopError(
      'bad-request',
      `${path} is a symbolic link, and loopctl does not write through links. Replace it with a folder, or give the path of the file: loopctl init <path>.yaml`,
    )
  }
}

/** Where a new loop file goes. */
export interface NewLoopPlace {
  /** Absolute. */
  readonly file: string
  /** The folder that it works in. */
  readonly folder: string
  /** The state folder, where trust is stored. */
  readonly state: string
  /** The command that writes it under another name. */
  readonly again?: string
}

export const writeInitLoop = (draft: LoopDraft, place: NewLoopPlace): Promise<WrittenLoop> =>
  writeNewLoop((text) => initText(draft, text), place)

export async function writeNewLoop(
  toText: (text: InitText) => string | Promise<string>,
  { file, folder, state, again }: NewLoopPlace,
): Promise<WrittenLoop> {
  const inner = relative(folder, file)
  const text = await toText({
    schema: schemaFor(dirname(file)),
    workspace: relative(dirname(file), folder) || '.',
    run: `loopctl run ${/^[\w./-]+$/.test(inner) ? inner : `'${inner}'`}`,
  })
  requireNew(file, again)
  requireNoLinks(folder, dirname(file))
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text, { flag: 'wx' }).catch((cause: unknown) => {
    requireNew(file, again)
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new LoopError(
      'bad-request',
      `Could not write the loop file: ${why}. Check the permissions of that folder, or use another path.`,
      { cause },
    )
  })
  return trustFile(file, state)
}

/** A loop that is not in a file of the user. */
export interface InlineLoop {
  readonly name: string
  readonly text: string
}

export function inlineLoop(draft: LoopDraft): InlineLoop {
  const name = nameLoop(draft.task)
  return { name, text: inlineText(name, draft) }
}

/** The same options give the same file, so a second run belongs to the same loop. */
export async function storeInlineLoop(loop: InlineLoop, state: string): Promise<WrittenLoop> {
  const file = join(state, 'loops', inlineName(loop))
  makeFolder(dirname(file))
  const temporary = `${file}.${process.pid}`
  await writeFile(temporary, loop.text, { mode: 0o600 })
  await rename(temporary, file)
  return trustFile(file, state)
}

/** For a dry run: nothing is stored in the state folder. */
export async function writeTemporaryLoop(loop: InlineLoop): Promise<TemporaryLoop> {
  const { path, remove } = await makePrivateFolder()
  const file = join(path, inlineName(loop))
  await writeFile(file, loop.text, { mode: 0o600 })
  return { file, remove }
}

interface TemporaryLoop {
  readonly file: string
  remove(): Promise<void>
}

function inlineName({ name, text }: InlineLoop): string {
  const hash = createHash('sha256').update(text).digest('hex')
  return `${name}-${hash.slice(0, 12)}.yaml`
}

async function trustFile(file: string, state: string): Promise<WrittenLoop> {
  const preview = await previewLoop(file, state)
  await trustLoop(preview, state)
  return { file: preview.file, digest: preview.digest }
}

const schemaName = 'schemas/loop.schema.json'

/** The schema in the project's `node_modules`, which works for everyone; else that of this installation. */
function schemaFor(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    const installed = join(at, 'node_modules', 'loopwright', schemaName)
    if (existsSync(installed)) {
      const path = relative(folder, installed).split(sep).join('/')
      return path.startsWith('.') ? path : `./${path}`
    }
    if (at === dirname(at)) break
  }
  return fileURLToPath(new URL(`../../../${schemaName}`, import.meta.url))
}

/** For messages: the path relative to the folder, if it is inside. */
export const shownFile = (folder: string, file: string): string => {
  const inner = relative(folder, file)
  return inner === '' || inner.startsWith('..') ? file : inner || basename(file)
}
