/** The fields of a new run: the input that its loop declares, then what every run has. */

import type { ReactElement } from 'react'
import type { LoopEntry, LoopInput, Plan } from '../../../client/browser.ts'
import { Field } from './field.tsx'
import type { FormErrors, StartForm } from './start-form.ts'

export interface StartFieldsProps {
  readonly loop: LoopEntry
  readonly form: StartForm
  readonly errors: FormErrors
  /** Its limits are shown as placeholders. */
  readonly plan: Plan | undefined
  change(changes: Partial<StartForm>): void
}

const microsPerDollar = 1_000_000
const msPerMinute = 60_000

export function StartFields({ loop, form, errors, plan, change }: StartFieldsProps): ReactElement {
  const { fields } = errors
  return (
    <>
      {loop.inputs === undefined ? (
        <Field
          label="Input"
          hint="One name=value in each line. The code of the loop decides what it takes."
          rows={3}
          isMono
          value={form.lines}
          onChange={(lines) => change({ lines })}
        />
      ) : null}
      {loop.inputs?.map((input) => (
        <InputField
          key={input.name}
          input={input}
          value={form.input[input.name]}
          error={fields.get(`input.${input.name}`)}
          onChange={(value) => change({ input: { ...form.input, [input.name]: value } })}
        />
      ))}
      {loop.inputs?.length === 0 ? <p className="text-muted">This loop takes no input.</p> : null}
      <div className="grid gap-3 sm:grid-cols-2">
        <Field
          label="Name of the run"
          placeholder="chosen for you"
          value={form.name}
          error={fields.get('name')}
          onChange={(name) => change({ name })}
        />
        <Field
          label="Works in"
          placeholder={loop.workspace}
          isMono
          value={form.workspace}
          error={fields.get('workspace')}
          onChange={(workspace) => change({ workspace })}
        />
      </div>
      <Limits form={form} errors={errors} limits={plan?.limits} change={change} />
      <Choices form={form} errors={errors} plan={plan} change={change} />
    </>
  )
}

interface InputFieldProps {
  readonly input: LoopInput
  readonly value: string | undefined
  readonly error: string | undefined
  onChange(value: string): void
}

const longChars = 60

function InputField({ input, value, error, onChange }: InputFieldProps): ReactElement {
  const { name, default: known, from } = input
  const text = typeof known === 'string' ? known : undefined
  const isLong = text !== undefined && (text.length > longChars || text.includes('\n'))
  return (
    <Field
      label={name}
      hint={
        from === 'loop-type'
          ? 'A path in the folder, or text, as its loop type takes it.'
          : known !== undefined && text === undefined
            ? 'The default is no text; what you type replaces all of it.'
            : undefined
      }
      placeholder={known === undefined ? undefined : (text ?? JSON.stringify(known))}
      value={value ?? text ?? ''}
      error={error}
      onChange={onChange}
      {...(isLong ? { rows: 4 } : {})}
    />
  )
}

type PartProps = Pick<StartFieldsProps, 'form' | 'errors' | 'change'>

function Limits({
  form,
  errors,
  limits,
  change,
}: PartProps & { readonly limits: Plan['limits'] | undefined }): ReactElement {
  const shown = [
    ['Dollars', 'dollars', 'costMicros', microsPerDollar],
    ['Iterations', 'iterations', 'iterations', 1],
    ['Tokens', 'tokens', 'tokens', 1],
    ['Minutes', 'minutes', 'timeMs', msPerMinute],
  ] as const
  return (
    <fieldset>
      <legend className="mb-1 font-medium">It stops at the latest after</legend>
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        {shown.map(([label, key, name, by]) => (
          <Field
            key={key}
            label={label}
            type="number"
            placeholder={limits === undefined ? undefined : String(limits[name] / by)}
            value={form[key]}
            error={errors.fields.get(`limits.${name}`)}
            onChange={(value) => change({ [key]: value })}
          />
        ))}
      </div>
    </fieldset>
  )
}

function Choices({
  form,
  errors,
  plan,
  change,
}: PartProps & { readonly plan: Plan | undefined }): ReactElement | null {
  const inPlace = errors.fields.get('inPlace') ?? plan?.worktree.problem
  const sandbox = plan?.sandbox?.problem
  if (inPlace === undefined && sandbox === undefined && !form.isInPlace && !form.isAttended) {
    return null
  }
  return (
    <div className="grid gap-2">
      {inPlace === undefined && !form.isInPlace ? null : (
        <Box
          label="Change the folder itself, without a separate worktree"
          why={inPlace}
          isChecked={form.isInPlace}
          onChange={(isInPlace) => change({ isInPlace })}
        />
      )}
      {sandbox === undefined && !form.isAttended ? null : (
        <Box
          label="I watch this run: allow a weaker sandbox"
          why={sandbox}
          isChecked={form.isAttended}
          onChange={(isAttended) => change({ isAttended })}
        />
      )}
    </div>
  )
}

interface BoxProps {
  readonly label: string
  readonly why: string | undefined
  readonly isChecked: boolean
  onChange(isChecked: boolean): void
}

const Box = ({ label, why, isChecked, onChange }: BoxProps): ReactElement => (
  <label className="flex items-start gap-2">
    <input
      type="checkbox"
      checked={isChecked}
      onChange={({ target }) => onChange(target.checked)}
      className="mt-1"
    />
    <span>
      {label}
      {why === undefined ? null : <span className="block text-muted">{why}</span>}
    </span>
  </label>
)
