/** A field of a form with its label, a hint, and the error that belongs to it. */

import { type ReactElement, useId } from 'react'

export interface FieldProps {
  readonly label: string
  readonly hint?: string | undefined
  readonly error?: string | undefined
  readonly value: string
  readonly placeholder?: string | undefined
  readonly isMono?: boolean
  /** With several lines. */
  readonly rows?: number
  readonly type?: 'text' | 'number'
  readonly list?: string
  onChange(value: string): void
}

export function Field(props: FieldProps): ReactElement {
  const { label, hint, error, value, placeholder, isMono = false, rows, type = 'text' } = props
  const id = useId()
  const notes = [hint === undefined ? '' : `${id}-hint`, error === undefined ? '' : `${id}-error`]
  const given = {
    id,
    value,
    placeholder,
    'aria-invalid': error !== undefined,
    'aria-describedby': notes.join(' ').trim() || undefined,
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      props.onChange(target.value),
    className: `w-full min-w-0 rounded-md border bg-bg px-2 py-1.5 ${error === undefined ? 'border-line' : 'border-bad'} ${isMono ? 'font-mono text-[13px]' : ''}`,
  }
  return (
    <div className="grid content-start gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {rows === undefined ? (
        <input type={type} min={0} step="any" {...given} />
      ) : (
        <textarea rows={rows} {...given} />
      )}
      {hint === undefined ? null : (
        <p id={`${id}-hint`} className="text-xs text-muted">
          {hint}
        </p>
      )}
      {error === undefined ? null : (
        <p id={`${id}-error`} role="alert" className="whitespace-pre-wrap text-bad">
          {error}
        </p>
      )}
    </div>
  )
}
