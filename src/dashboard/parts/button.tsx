/** Buttons of one look. */

import type { ButtonHTMLAttributes, ReactElement } from 'react'

type Kind = 'plain' | 'primary' | 'danger' | 'quiet'

const looks: Readonly<Record<Kind, string>> = {
  plain: 'border-line bg-panel hover:bg-sunken',
  primary: 'border-transparent bg-accent text-on-accent hover:opacity-90',
  danger: 'border-line bg-panel text-bad hover:bg-bad-soft',
  quiet: 'border-transparent text-muted hover:bg-sunken hover:text-text',
}

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: Kind
}

export const Button = ({ kind = 'plain', className = '', ...rest }: ButtonProps): ReactElement => (
  <button
    type="button"
    className={`inline-flex items-center justify-center gap-1.5 rounded-md border px-2.5 py-1 font-medium whitespace-nowrap disabled:cursor-default disabled:opacity-50 ${looks[kind]} ${className}`}
    {...rest}
  />
)
