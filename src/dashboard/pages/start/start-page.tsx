/** Starts a run: a loop, what it is given, what prevents it and what it would do. Nothing is spent before the button. */

import { useMutation } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import { type ReactElement, useRef, useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import type { LoopEntry } from '../../../client/browser.ts'
import { useConnection } from '../../app/connection.ts'
import { Button } from '../../parts/button.tsx'
import { Command } from '../../parts/command.tsx'
import { Empty } from '../../parts/empty.tsx'
import { shellWord } from '../../parts/format.ts'
import { Loading, Problem } from '../../parts/problem.tsx'
import { ChooseLoop } from './choose-loop.tsx'
import { DryRun, FindingsList } from './looked-panel.tsx'
import { StartFields } from './start-fields.tsx'
import {
  emptyForm,
  type FormErrors,
  type StartForm,
  toFormErrors,
  toRequest,
} from './start-form.ts'
import { TrustPanel } from './trust-panel.tsx'
import { type Looked, useLooked, useLoops, usePreview } from './use-start.ts'

export function StartPage(): ReactElement {
  const [params, setParams] = useSearchParams()
  const folder = params.get('folder') ?? ''
  const file = params.get('file') ?? ''
  const { canDecide } = useConnection()
  const loops = useLoops(canDecide ? folder : '')
  const known = loops.data?.items ?? []
  const loop = known.find((one) => one.file === file) ?? (known.length === 1 ? known[0] : undefined)
  const choose = (changes: Readonly<Record<string, string>>): void =>
    setParams(
      (before) => {
        const next = new URLSearchParams(before)
        for (const [name, value] of Object.entries(changes)) {
          if (value === '') next.delete(name)
          else next.set(name, value)
        }
        return next
      },
      { replace: true },
    )
  if (!canDecide) {
    return (
      <Padded>
        <Empty title="This tab can only read." command="loopctl run">
          To start a run, open the dashboard with a token that can change things, or use a terminal:
        </Empty>
      </Padded>
    )
  }
  return (
    <Padded>
      <ChooseLoop
        loops={known}
        file={loop?.file ?? ''}
        folder={folder}
        error={folder === '' ? undefined : loops.error?.message}
        onFile={(chosen) => choose({ file: chosen })}
        onFolder={(chosen) => choose({ folder: chosen, file: '' })}
      />
      {loops.isPending ? <Loading /> : null}
      {folder === '' && loops.error !== null ? <Problem error={loops.error} /> : null}
      {loops.isSuccess && known.length === 0 ? (
        <Empty title="No loop file yet." command="loopctl init">
          Write one in your repository, then choose its folder here:
        </Empty>
      ) : null}
      {loop === undefined ? null : loop.problem === undefined ? (
        <StartLoop key={loop.file} loop={loop} />
      ) : (
        <div className="grid gap-2">
          <Problem error={new Error(loop.problem)} />
          <Command text={`loopctl validate ${shellWord(loop.file)}`} />
        </div>
      )}
    </Padded>
  )
}

const Padded = ({ children }: { readonly children: React.ReactNode }): ReactElement => (
  <div className="mx-auto grid max-w-6xl gap-4 p-4 md:p-6">
    <h1 className="text-lg font-semibold">Start a run</h1>
    {children}
  </div>
)

function StartLoop({ loop }: { readonly loop: LoopEntry }): ReactElement {
  const { client, session } = useConnection()
  const [, go] = useLocation()
  const [form, setForm] = useState<StartForm>(emptyForm)
  const key = useRef(crypto.randomUUID())
  const preview = usePreview(loop.file)
  const needsTrust = preview.data?.trusted === false
  const request = toRequest(loop, form, session.name ?? 'dashboard')
  const { trust: _trust, ...untrusted } = request
  const looked = useLooked(preview.data === undefined ? undefined : untrusted)
  const start = useMutation({
    mutationFn: () => client.createRun(request, key.current),
    onSuccess: ({ run }) => go(`/runs/${run.name}`),
  })
  const change = (changes: Partial<StartForm>): void => {
    // A key belongs to one request: what was changed is another run.
    key.current = crypto.randomUUID()
    start.reset()
    setForm((before) => ({ ...before, ...changes }))
  }
  const errors = toFormErrors(
    [preview.error, looked.findings.error, looked.plan.error, start.error],
    knownFields(loop),
  )
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <form
        aria-label={`Start ${loop.name}`}
        className="grid gap-4 rounded-xl border border-line bg-panel p-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (!start.isPending) start.mutate()
        }}
      >
        {loop.description === undefined ? null : <p>{loop.description}</p>}
        <StartFields
          loop={loop}
          form={form}
          errors={errors}
          plan={looked.plan.data}
          change={change}
        />
        {needsTrust && preview.data !== undefined ? (
          <TrustPanel
            preview={preview.data}
            isTrusted={form.trust === preview.data.digest}
            error={errors.fields.get('trust')}
            onTrust={(isTrusted) =>
              change({ trust: isTrusted ? (preview.data?.digest ?? '') : '' })
            }
          />
        ) : null}
        {errors.rest.map((reason) => (
          <Problem key={reason} error={new Error(reason)} />
        ))}
        <div className="flex flex-wrap items-center gap-3">
          <Button
            kind="primary"
            type="submit"
            disabled={start.isPending || (needsTrust && form.trust === '')}
          >
            <Play size={15} aria-hidden /> {start.isPending ? 'Starting' : 'Start'}
          </Button>
          <span className="text-muted">
            Keys come from the environment of the daemon. The checks are tried before the agent
            works.
          </span>
        </div>
      </form>
      <WhatItDoes looked={looked} errors={errors} file={loop.file} />
    </div>
  )
}

const knownFields = (loop: LoopEntry): ReadonlySet<string> =>
  new Set([
    ...(loop.inputs ?? []).map(({ name }) => `input.${name}`),
    'name',
    'workspace',
    'limits.iterations',
    'limits.costMicros',
    'limits.tokens',
    'limits.timeMs',
    'inPlace',
    'trust',
  ])

interface WhatItDoesProps {
  readonly looked: Looked
  readonly errors: FormErrors
  readonly file: string
}

function WhatItDoes({ looked, errors, file }: WhatItDoesProps): ReactElement {
  const { plan, findings } = looked
  const isWrong = errors.fields.size > 0 || errors.rest.length > 0
  return (
    <div className="grid gap-4">
      <section
        aria-labelledby="ready"
        className="grid gap-2 rounded-xl border border-line bg-panel p-4"
      >
        <h2 id="ready" className="font-semibold" role="status">
          {findings.data === undefined
            ? isWrong
              ? 'Correct the form first'
              : 'Looking at this machine…'
            : findings.data.ready && !isWrong
              ? 'Ready to run'
              : 'Something has to be fixed first'}
        </h2>
        {findings.data === undefined ? null : <FindingsList found={findings.data} />}
      </section>
      {plan.data === undefined ? null : (
        <section
          aria-labelledby="dry"
          className="grid gap-2 rounded-xl border border-line bg-panel p-4"
        >
          <h2 id="dry" className="font-semibold">
            What it would do
          </h2>
          <DryRun plan={plan.data} />
          <p className="text-xs text-muted">The same in a terminal:</p>
          <Command text={`loopctl run ${shellWord(file)} --dry-run`} />
        </section>
      )}
    </div>
  )
}
