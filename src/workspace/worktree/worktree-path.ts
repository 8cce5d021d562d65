/**
 * The path of a worktree, from a template with `{{ repo }}`, `{{ run_branch }}`, and `| sanitize` for values that
 * must be one path component. Relative paths start at the main checkout.
 */

import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { LoopError } from '../../loop/index.ts'
import type { Repository } from '../git/repository.ts'

/** Part of the legacy formats. */
export const pathTemplateDefault = '../{{ repo }}.{{ run_branch | sanitize }}'

export function worktreePath(
  template: string,
  repository: Pick<Repository, 'home' | 'name' | 'commonDir'>,
  branch: string,
): string {
  // git's own files end a path at the end of the line.
  if (/[\n\r]/.test(repository.commonDir)) {
    const message = `The path of the repository contains a line break: ${JSON.stringify(repository.home)}.`
    const advice = 'Worktrees do not support that. Rename the folder.'
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
      throw badTemplate(template, `${whole} is not known`)
    }
    return filters.length === 0 ? value : sanitize(value)
  })
  if (rendered.trim() === '' || /[\0\n\r]|\{\{|\}\}/.test(rendered)) {
    throw badTemplate(template, 'it does not result in a path')
  }
  const fromHome = rendered.startsWith('~/') ? join(homedir(), rendered.slice(2)) : rendered
  const path = isAbsolute(fromHome) ? resolve(fromHome) : resolve(repository.home, fromHome)
  const { commonDir, home } = repository
  if (path === home || path === commonDir || path.startsWith(`${commonDir}/`)) {
    throw badTemplate(template, `${path} belongs to the repository itself`)
  }
  return path
}

/** One path component. */
export function sanitize(text: string): string {
  const safe = text.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[.-]+/, '')
  return safe === '' ? 'run' : safe
}

function badTemplate(template: string, reason: string): LoopError {
  const advice = `Use {{ repo }} and {{ run_branch | sanitize }}, as in ${pathTemplateDefault}`
  const message = `The path template ${JSON.stringify(template)} cannot be used: ${reason}. ${advice}`
  return new LoopError('bad-template', message)
}
