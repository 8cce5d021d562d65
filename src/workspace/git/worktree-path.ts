/**
 * Where a worktree goes: a template with `{{ repo }}`, `{{ run_branch }}`, and `| sanitize` for what
 * must be one part of a path. Relative ones start from the main checkout.
 */

import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { LoopError } from '../../loop/index.ts'
import type { Repository } from './repository.ts'

/** Document 002's. */
export const pathTemplateDefault = '../{{ repo }}.{{ run_branch | sanitize }}'

export function worktreePath(
  template: string,
  repository: Pick<Repository, 'home' | 'name' | 'commonDir'>,
  branch: string,
): string {
  // Files of git that name a path end it at the end of the line.
  if (/[\n\r]/.test(repository.commonDir)) {
    const message = `The path of the repository has a line break in it: ${JSON.stringify(repository.home)}.`
    const advice = 'No worktree can be made of it. Rename the folder.'
    throw new LoopError('workspace-failed', `${message} ${advice}`)
  }
  const values: Readonly<Record<string, string>> = {
    repo: repository.name,
    run_branch: branch,
    branch,
  }
  const rendered = template.replaceAll(/\{\{([^{}]*)\}\}/g, (whole, inner: string) => {
    const [name = '', ...filters] = inner.split('|').map((part) => part.trim())
    const value = values[name]
    if (value === undefined || filters.some((filter) => filter !== 'sanitize')) {
      throw bad(template, `it says ${whole}`)
    }
    return filters.length === 0 ? value : sanitize(value)
  })
  if (rendered.trim() === '' || /[\0\n\r]|\{\{|\}\}/.test(rendered)) {
    throw bad(template, 'it gives no path')
  }
  const fromHome = rendered.startsWith('~/') ? join(homedir(), rendered.slice(2)) : rendered
  const path = isAbsolute(fromHome) ? resolve(fromHome) : resolve(repository.home, fromHome)
  const { commonDir, home } = repository
  if (path === home || path === commonDir || path.startsWith(`${commonDir}/`)) {
    throw bad(template, `${path} belongs to the repository itself`)
  }
  return path
}

/** One part of a path. */
export function sanitize(text: string): string {
  const safe = text.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[.-]+/, '')
  return safe === '' ? 'run' : safe
}

function bad(template: string, why: string): LoopError {
  const advice = `Use {{ repo }} and {{ run_branch | sanitize }}, as in ${pathTemplateDefault}`
  const message = `The path template ${JSON.stringify(template)} cannot be used: ${why}. ${advice}`
  return new LoopError('bad-template', message)
}
