/** The form of a new run: its values, the request that they make, and which field an error belongs to. */

import {
  isLoopError,
  type LoopEntry,
  type LoopInput,
  type NewRunRequest,
} from '../../../client/browser.ts'

export interface StartForm {
  /** By name. Only what was typed. */
  readonly input: Readonly<Record<string, string>>
  /** `name=value` lines, for a loop whose code decides. */
  readonly lines: string
  readonly name: string
  readonly workspace: string
  readonly iterations: string
  readonly dollars: string
  readonly tokens: string
  readonly minutes: string
  /** Someone is watching: a weaker sandbox is allowed. */
  readonly isAttended: boolean
  /** Work in the folder itself, without a worktree. */
  readonly isInPlace: boolean
  /** The digest that was reviewed. */
  readonly trust: string
}

export const emptyForm: StartForm = {
  input: {},
  lines: '',
  name: '',
  workspace: '',
  iterations: '',
  dollars: '',
  tokens: '',
  minutes: '',
  isAttended: false,
  isInPlace: false,
  trust: '',
}

const microsPerDollar = 1_000_000
const msPerMinute = 60_000

export function toRequest(loop: LoopEntry, form: StartForm, by: string): NewRunRequest {
  const input = loop.inputs === undefined ? readLines(form.lines) : typedInput(loop.inputs, form)
  const limits = {
    ...scaled('iterations', form.iterations, 1),
    ...scaled('costMicros', form.dollars, microsPerDollar),
    ...scaled('tokens', form.tokens, 1),
    ...scaled('timeMs', form.minutes, msPerMinute),
  }
  return {
    file: loop.file,
    here: loop.folder,
    by,
    needsChoice: true,
    ...(form.workspace.trim() === '' ? {} : { workspace: form.workspace.trim() }),
    ...(form.name.trim() === '' ? {} : { name: form.name.trim() }),
    ...(Object.keys(input).length === 0 ? {} : { input }),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
    ...(form.isAttended ? { attended: true } : {}),
    ...(form.isInPlace ? { worktree: { use: false } } : {}),
    ...(form.trust === '' ? {} : { trust: form.trust }),
  }
}

/** What differs from the defaults: values that are no text stay as the file has them. */
const typedInput = (
  inputs: readonly LoopInput[],
  { input }: StartForm,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    inputs.flatMap(({ name, default: known }) => {
      const typed = input[name]
      return typed === undefined || typed === '' || typed === known ? [] : [[name, typed]]
    }),
  )

const readLines = (lines: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    lines.split('\n').flatMap((line) => {
      const at = line.indexOf('=')
      return at < 1 ? [] : [[line.slice(0, at).trim(), line.slice(at + 1)]]
    }),
  )

/** What is no number is sent as it is refused: as 0. */
const scaled = <Name extends string>(
  name: Name,
  text: string,
  by: number,
): Partial<Record<Name, number>> => {
  if (text.trim() === '') return {}
  const value = Math.round(Number(text) * by)
  return { [name]: Number.isFinite(value) ? value : 0 } as Record<Name, number>
}

export interface FormErrors {
  /** By field, such as `input.goal` or `limits.costMicros`. */
  readonly fields: ReadonlyMap<string, string>
  /** What belongs to no field. */
  readonly rest: readonly string[]
}

/** Rejections that are about one field, whatever their text. */
const fieldOfCode: Readonly<Record<string, string>> = {
  'bad-name': 'name',
  'name-taken': 'name',
  'workspace-failed': 'workspace',
  'needs-in-place': 'inPlace',
  'not-trusted': 'trust',
}

/** `known`: the fields that the form has. */
export function toFormErrors(
  errors: readonly (Error | null)[],
  known: ReadonlySet<string>,
): FormErrors {
  const fields = new Map<string, string>()
  const rest = new Set<string>()
  const add = (field: string | undefined, reason: string): void => {
    if (field !== undefined && known.has(field)) fields.set(field, reason)
    else rest.add(reason)
  }
  for (const error of errors) {
    if (error === null) continue
    const details = isLoopError(error) ? error.details?.errors : undefined
    if (details !== undefined && details.length > 0) {
      for (const { field, reason } of details) add(field.replace(/^body\./, ''), reason)
    } else {
      add(isLoopError(error) ? fieldOfCode[error.code] : undefined, error.message)
    }
  }
  return { fields, rest: [...rest] }
}
