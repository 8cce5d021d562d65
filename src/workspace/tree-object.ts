/**
 * One directory as a canonical text. Kept as a blob; the id of a tree is the id of that blob, so
 * equal directories have equal ids, and a change anywhere changes every id above it.
 *
 *     loopwright-tree 1
 *     f <blob> <bytes> <name>     a file
 *     x <blob> <bytes> <name>     a file that its owner may execute
 *     d <tree> <name>             a directory
 *     l <target> <name>           a symbolic link
 *
 * One line for each entry, sorted by the bytes of the name, each with a newline at its end. In names
 * and targets `%`, space, control characters and, in one that is not UTF-8, every byte over 0x7f
 * stand as `%` and two hexadecimal digits.
 *
 * 1. A directory has exactly one text, and any other text is refused.
 * 2. A name is one step down: never empty, `.`, `..` or with a slash or a NUL. A tree that came from
 *    elsewhere cannot reach out of its folder.
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
  return parseTree((await blobs.get(blobOf(tree))).toString('utf8'), tree)
}

/** A tree is a blob, and they share one id. */
export function blobOf(tree: TreeId): BlobId {
  const id: string = tree
  if (isBlobId(id)) return id
  throw new LoopError(
    'unknown-artifact',
    `${id} is not the id of a tree. Take one that loopctl inspect shows.`,
  )
}

/** The id that a text has, or will have once it is kept. */
export function treeIdOf(text: string): TreeId {
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
  const isWhole = entries.every(
    (entry, index) => entry !== undefined && entry.name !== entries[index - 1]?.name,
  )
  const parsed = entries.filter((entry) => entry !== undefined)
  if (isWhole && renderTree(parsed) === text) return parsed
  const advice = 'It was made by another version, or it is not a tree.'
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

/** Everything but printable ASCII, and the character that escapes; after `\u0080`, all is text. */
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
