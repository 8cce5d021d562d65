/**
 * Stops an agent before it changes one file too many, if the run escalates. It sees the calls of tools that say which file
 * they change; what commands and agent programs change is counted after the step.
 */

import { plural } from '../../loop/excerpt/plural.ts'
import { allowedFiles } from '../../loop/index.ts'
import { changedSince, countedFrom } from '../escalate.ts'
import type { LiveRun } from '../live-run.ts'

/** For one step. */
export interface FileGuard {
  /** Why this file may not be changed. Undefined: it may. */
  refuse(file: string): Promise<string | undefined>
  /** The file was changed. */
  changed(file: string): void
  /** The first file that was refused. */
  refused(): string | undefined
}

/** Undefined: the run does not ask about changed files. */
export function createFileGuard(run: LiveRun): FileGuard | undefined {
  const { escalation } = run.ports
  const { attempts } = run.recorder.state
  if (escalation?.when !== 'triggered' || attempts.ignored.includes('too-many-files'))
    return undefined
  const allowed = allowedFiles(attempts, escalation.thresholds)
  const inStep = new Set<string>()
  let before: Promise<readonly string[] | undefined> | undefined
  let refused: string | undefined
  return {
    async refuse(file) {
      before ??= changedSince(run, countedFrom(run))
      const known = await before
      if (known === undefined) return undefined
      const files = new Set([...known, ...inStep])
      if (files.has(file) || files.size < allowed) return undefined
      refused ??= file
      return (
        `${plural(files.size, 'file')} ${files.size === 1 ? 'is' : 'are'} changed, and without the approval of a person it may be ${allowed}. ` +
        `${file} was not changed. Stop here: a person is asked, and the work continues after the answer.`
      )
    },
    changed: (file) => void inStep.add(file),
    refused: () => refused,
  }
}
