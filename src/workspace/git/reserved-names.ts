/**
 * Names that are never content, because git, on this system or another, treats them as its own: `.git` in any
 * case, and the names that Windows and macOS treat as equal. git rejects them in a tree.
 */

import { asText, type Bytes } from '../bytes.ts'

/** On Windows a backslash or colon ends a name, and trailing spaces and dots are ignored. */
const git = /(^|[/\\])(\.git|git~\d)[ .]*([:/\\]|$)/i
/** As a symlink it could point git to settings elsewhere. */
const modules = /(^|[/\\])(\.gitmodules|gitmod~\d|gi7eb[0-9a-f]~\d)[ .]*(:|$)/i
/** macOS ignores these characters in a name. */
const ignoredCharacters = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

export const isReserved = (path: Bytes): boolean => git.test(path) || git.test(normalize(path))

export const isReservedLink = (path: Bytes): boolean =>
  modules.test(path) || modules.test(normalize(path))

const normalize = (path: Bytes): string => (asText(path) ?? path).replaceAll(ignoredCharacters, '')
