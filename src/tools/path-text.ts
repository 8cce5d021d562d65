/** Paths as agents write them: what is refused before accessing the file system. */

import { outputPrefix } from './output-folder.ts'
import { ToolError } from './tool.ts'

const pathBytesMax = 4096
const nameBytesMax = 255
const shownCharsMax = 200

/** Splits a path into parts. Rejects with `bad-path`, `outside-workspace`. */
export function splitPath(path: string): readonly string[] {
  const problem = findPathProblem(path)
  if (problem !== undefined) throw new ToolError('bad-path', `${shown(path)} ${problem}`)
  if (/^~[^/]*(\/|$)/.test(path)) {
    const message = `${shown(path)} is a home folder. Use a path inside the workspace.`
    throw new ToolError('outside-workspace', message)
  }
  return path.split('/')
}

function findPathProblem(path: string): string | undefined {
  if (path === '') return 'is empty. Give a path inside the workspace; "." is the workspace itself.'
  if (path.includes('\0')) return 'contains a NUL character, which no path can. Leave it out.'
  if (/\p{Surrogate}/u.test(path)) return 'contains half a character. Write the path in UTF-8.'
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(path)) return 'is a URL. Give a path inside the workspace.'
  if (Buffer.byteLength(path) > pathBytesMax) {
    return `is longer than ${pathBytesMax} bytes. Use a shorter one.`
  }
  if (path.split('/').some((name) => Buffer.byteLength(name) > nameBytesMax)) {
    return `has a name of more than ${nameBytesMax} bytes. Use a shorter one.`
  }
  return undefined
}

/**
 * Refuses names that other programs interpret, and names that belong to git. They may be read, but
 * nothing below them is created or changed. Rejects with `bad-path`, `protected`.
 */
export function requireWritableName(name: string, path: string): void {
  if (isGit(name)) {
    const message = `${shown(path)} belongs to git, and tools do not write there. Changes are committed for you.`
    throw new ToolError('protected', message)
  }
  if (/[\p{Cc}\\]/u.test(name)) {
    const message = `${shown(path)} has a control character or a backslash in a name. Separate names by "/".`
    throw new ToolError('bad-path', message)
  }
}

/** On file systems that ignore case or invisible characters, these are `.git` too. */
function isGit(name: string): boolean {
  const seen = name
    .normalize('NFKC')
    .replaceAll(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '')
    .toLowerCase()
    .replace(/[. ]+$/, '')
  return seen === '.git' || seen === 'git~1'
}

/** A name of stored output, which is not a path. */
export const isOutputPath = (path: string): boolean =>
  path === outputPrefix || path.startsWith(`${outputPrefix}/`)

/** A path in a message: quoted and shortened. */
export const shown = (path: string): string =>
  path.length <= shownCharsMax
    ? JSON.stringify(path)
    : `${JSON.stringify(path.slice(0, shownCharsMax))}… (${path.length} characters)`
