/** File patterns as agents write them, as regular expressions over relative paths. */

import picomatch from 'picomatch'
import { createMatcher, createQuickMatcher, type Matcher, type MatcherLimits } from './matcher.ts'
import { shown } from './path-text.ts'
import { ToolError } from './tool.ts'

export const globCharsMax: number = 500

/** A pattern without a slash matches names in any folder. Rejects with `outside-workspace`. */
export function createGlobMatcher(pattern: string, limits: MatcherLimits): Matcher {
  const expression = globPattern(pattern)
  return isQuick(pattern) ? createQuickMatcher(expression) : createMatcher(expression, limits)
}

/** Few wildcards, at most one for each name and one `**`: linear in the length of the path. */
function isQuick(pattern: string): boolean {
  // Groups, classes and alternatives can be repeated or ambiguous; one brace cannot.
  if (/[()[\]+!^|\\]/.test(pattern) || pattern.split('{').length > 2) return false
  const parts = pattern.split('/')
  if (parts.filter((part) => part === '**').length > 1) return false
  const stars = parts.map((part) => (part === '**' ? 1 : part.split('*').length - 1))
  const total = stars.reduce((sum, count) => sum + count, 0)
  return Math.max(...stars) <= 1 && total <= 2
}

function globPattern(pattern: string): RegExp {
  // More than two in a row mean the same as two, and at the end the library would never return.
  const plain = pattern.replace(/^(?:\.\/+)+/, '').replaceAll(/\\{3,}/g, '\\\\')
  if (plain.startsWith('/') || plain.split('/').includes('..') || plain.startsWith('~')) {
    const message = `The pattern ${shown(pattern)} leads out of the searched folder. Use a relative one without "..", and pass the folder as path.`
    throw new ToolError('outside-workspace', message)
  }
  const whole = plain.includes('/') ? plain : `**/${plain}`
  try {
    return picomatch.makeRe(whole, {
      dot: true,
      nonegate: true,
      noextglob: true,
      maxLength: globCharsMax + 10,
    })
  } catch (cause) {
    throw new ToolError('bad-pattern', `${shown(pattern)} is not a file pattern. Try **/*.ts.`, {
      cause,
    })
  }
}

/** Folders that are not entered, unless the pattern names them. */
export function toSkippedFolders(skip: readonly string[], pattern: string): ReadonlySet<string> {
  const named = new Set(pattern.split('/'))
  return new Set(['.git', ...skip.filter((name) => !named.has(name))])
}
