/**
 * One directory as a canonical text, stored as a blob. The id of a tree is the id of that blob, so equal
 * directories have equal ids, and a change changes the ids of all parent directories.
 *
 *     loopwright-tree 1
 *     f <blob> <bytes> <name>     a file
 *     x <blob> <bytes> <name>     an executable file
 *     d <tree> <name>             a directory
 *     l <target> <name>           a symbolic link
 *
 * One line per entry, sorted by the bytes of the name, each terminated by a newline. In names and targets, `%`,
 * space, control characters and, if they are not UTF-8, all bytes over 0x7f are written as `%` and two
 * hexadecimal digits.
 *
 * 1. A directory has exactly one text; any other text is rejected.
 * 2. A name is one path component: never empty, `.` or `..`, and without slash or NUL. So a tree from an
 *    untrusted source cannot reach outside its folder.
 */

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { Blobs } from '../engine/index.ts'
import { type BlobId, LoopError, type TreeId } from '../loop/index.ts'
import { asText, type Bytes, fromText, hex } from './bytes.ts'

export type TreeEntry = FileEntry | DirectoryEntry | LinkEntry

export interface FileEntry {
  readonly type: 'file'
  readonly name: Bytes
  readonly blob: BlobId
  readonly bytes: number
  readonly executable: boolean
}

export interface DirectoryEntry {
  readonly type: 'directory'
  readonly name: Bytes
  readonly tree: TreeId
}

export interface LinkEntry {
  readonly type: 'link'
  readonly name: Bytes
  readonly target: Bytes
}

const header = 'loopwright-tree 1\n'

export async function loadTree(blobs: Blobs, tree: TreeId): Promise<readonly TreeEntry[]> {
  return parseTree((await blobs.get(toBlobId(tree))).toString('utf8'), tree)
}

/** A tree is stored as a blob with the same id. */
export function toBlobId(tree: TreeId): BlobId {
  const id: string = tree
  if (isBlobId(id)) return id
  throw new LoopError(
    'unknown-artifact',
    `${id} is not a tree id. To list the trees of a run, use: loopctl inspect <run>`,
  )
}

/** The id of a tree text, stored or not. */
export function computeTreeId(text: string): TreeId {
  const id = createHash('sha256').update(text).digest('hex')
  assert(isTreeId(id))
  return id
}

export function renderTree(entries: readonly TreeEntry[]): string {
  const sorted = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return header + sorted.map((entry) => `${renderEntry(entry)}\n`).join('')
}

export function parseTree(text: string, id: string): readonly TreeEntry[] {
  const entries = text.slice(header.length).split('\n').slice(0, -1).map(parseEntry)
  const isValid = entries.every(
    (entry, index) => entry !== undefined && entry.name !== entries[index - 1]?.name,
  )
  const parsed = entries.filter((entry) => entry !== undefined)
  if (isValid && renderTree(parsed) === text) return parsed
  const advice = 'Another version created it, or it is not a tree.'
  throw new LoopError('store-damaged', `${id} cannot be read as a tree. ${advice}`)
}

function renderEntry(entry: TreeEntry): string {
  const name = escape(entry.name)
  switch (entry.type) {
    case 'file':
      return `${entry.executable ? 'x' : 'f'} ${entry.blob} ${entry.bytes} ${name}`
    case 'directory':
      return `d ${entry.tree} ${name}`
    case 'link':
      return `l ${escape(entry.target)} ${name}`
  }
}

function parseEntry(line: string): TreeEntry | undefined {
  const [kind, first = '', ...rest] = line.split(' ')
  const name = unescape(rest.at(-1) ?? '')
  if (!isName(name)) return undefined
  if (kind === 'l') return { type: 'link', name, target: unescape(first) }
  if (kind === 'd' && isTreeId(first)) return { type: 'directory', name, tree: first }
  if ((kind !== 'f' && kind !== 'x') || !isBlobId(first)) return undefined
  return { type: 'file', name, blob: first, bytes: Number(rest[0]), executable: kind === 'x' }
}

const hash = /^[0-9a-f]{64}$/
const isBlobId = (text: string): text is BlobId => hash.test(text)
const isTreeId = (text: string): text is TreeId => hash.test(text)

const isName = (name: Bytes): boolean =>
  name !== '' && name !== '.' && name !== '..' && !name.includes('/') && !name.includes('\0')

/** Everything except printable ASCII without `%`, and characters from `\u0080` on. */
const unsafeText = /[^!-$&-~\u0080-\u{10ffff}]/gu
const unsafeBytes = /[^!-$&-~]/g

function escape(bytes: Bytes): string {
  const text = asText(bytes)
  const unsafe = text === undefined ? unsafeBytes : unsafeText
  return (text ?? bytes).replaceAll(unsafe, (character) => `%${hex(character)}`)
}

function unescape(text: string): Bytes {
  return fromText(text).replaceAll(/%([0-9a-f]{2})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  )
}
