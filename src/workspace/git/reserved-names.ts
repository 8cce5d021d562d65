/**
 * Names that are never content, because git, on this system or on another, would take them for its
 * own: `.git` in any case, and what Windows and macOS take for it. Git refuses them in a tree.
 */

import { asText, type Bytes } from '../bytes.ts'

/** A backslash and a colon end a name on Windows; spaces and dots at its end do not count. */
const git = /(^|[/\\])(\.git|git~\d)[ .]*([:/\\]|$)/i
/** As a link it could lead git to settings elsewhere. */
const modules = /(^|[/\\])(\.gitmodules|gitmod~\d|gi7eb[0-9a-f]~\d)[ .]*(:|$)/i
/** macOS does not see them in a name. */
const unseen = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

export const isReserved = (path: Bytes): boolean => git.test(path) || git.test(asSeen(path))

export const isReservedLink = (path: Bytes): boolean =>
  modules.test(path) || modules.test(asSeen(path))

const asSeen = (path: Bytes): string => (asText(path) ?? path).replaceAll(unseen, '')
