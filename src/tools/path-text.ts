/** Paths as agents write them: what is refused before the file system is asked. */

import { outputPrefix } from './output-folder.ts'
import { ToolError } from './tool.ts'

const pathBytesMax = 4096
const nameBytesMax = 255
const shownCharsMax = 200

/** The parts of a path that can be walked. Rejects with `bad-path`, `outside-workspace`. */
export function partsOf(path: string): readonly string[] {
  const problem = problemOf(path)
  if (problem !== undefined) throw new ToolError('bad-path', `${shown(path)} ${problem}`)
  if (/^~[^/]*(\/|$)/.test(path)) {
    const message = `${shown(path)} is a home folder. Give a path inside the workspace.`
    throw new ToolError('outside-workspace', message)
  }
  return path.split('/')
}

function problemOf(path: string): string | undefined {
  if (path === '') return 'is empty. Give a path inside the workspace; "." is the workspace itself.'
  if (path.includes('\0')) return 'contains a NUL character, which no path can. Leave it out.'
  if (/\p{Surrogate}/u.test(path)) return 'contains half a character. Write the path in UTF-8.'
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(path)) return 'is a URL. Give a path inside the workspace.'
  if (Buffer.byteLength(path) > pathBytesMax) {
    return `is longer than the ${pathBytesMax} bytes that a path may have. Give a shorter one.`
  }
  if (path.split('/').some((name) => Buffer.byteLength(name) > nameBytesMax)) {
    return `has a name of more than ${nameBytesMax} bytes. Give a shorter one.`
  }
  return undefined
}

/**
 * Names that mean something else to other programs, and those that git lives in. They may be read
 * where they are; nothing is made or changed under them. Rejects with `bad-path`, `protected`.
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

/** A name of kept output, which is no path. */
export const isOutputPath = (path: string): boolean =>
  path === outputPrefix || path.startsWith(`${outputPrefix}/`)

/** A path in a message: quoted, and not without end. */
export const shown = (path: string): string =>
  path.length <= shownCharsMax
    ? JSON.stringify(path)
    : `${JSON.stringify(path.slice(0, shownCharsMax))}… (${path.length} characters)`
