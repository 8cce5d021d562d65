/** The certificate and what it rests on, then every result of every check, newest first. */

import { BadgeCheck } from 'lucide-react'
import type { ReactElement } from 'react'
import {
  type CertificateEntry,
  describeLevel,
  describeStrength,
  type EvidenceEntry,
  type Page,
} from '../../../../client/browser.ts'
import { useRunPart, useWholeRunPart } from '../../../app/queries.ts'
import { CheckResult } from '../../../parts/check-status.tsx'
import { Command } from '../../../parts/command.tsx'
import { Empty } from '../../../parts/empty.tsx'
import { span } from '../../../parts/format.ts'
import { Loading, Problem } from '../../../parts/problem.tsx'
import { Time } from '../../../parts/time.tsx'
import { CertifiedChecks } from './certified-checks.tsx'
import type { TabProps } from './tab-props.ts'

const shownMax = 300

export function EvidenceTab({ detail }: TabProps): ReactElement {
  const { run } = detail
  const { data, error } = useWholeRunPart<EvidenceEntry>(run.id, 'evidence')
  if (error !== null) return <Problem error={error} />
  if (data === undefined) return <Loading />
  return (
    <div className="grid gap-4">
      <Certificates detail={detail} />
      {data.length === 0 ? (
        <Empty title="No check has run." command={`loopctl inspect ${run.name}`} />
      ) : null}
      <ol className="grid gap-2" aria-label="Results of checks, newest first">
        {data
          .toReversed()
          .slice(0, shownMax)
          .map((entry) => (
            <Result key={entry.seq} entry={entry} />
          ))}
      </ol>
    </div>
  )
}

function Result({ entry }: { readonly entry: EvidenceEntry }): ReactElement {
  const { evidence, isCurrent, output = '', durationMs, exitCode } = entry
  const marks = [
    ...(evidence.flaky === true ? ['flaky: two results on the same files'] : []),
    ...(evidence.allowed === true ? ['allowed: it failed before the run'] : []),
    ...(evidence.reused === true ? ['reused: nothing changed'] : []),
    ...(isCurrent ? [] : ['of earlier files']),
  ]
  return (
    <li>
      <details className="rounded-lg border border-line bg-panel">
        <summary className="flex flex-wrap items-center gap-x-4 gap-y-1 px-3 py-2">
          <CheckResult status={evidence.status} />
          <span className="font-mono text-[13px] font-medium">{evidence.check}</span>
          <span className="text-xs text-muted">iteration {evidence.iteration}</span>
          {marks.map((mark) => (
            <span key={mark} className="text-xs text-warn">
              {mark}
            </span>
          ))}
          <span className="ml-auto flex gap-3 text-xs text-muted">
            {exitCode === undefined ? null : <span>exit {exitCode}</span>}
            {durationMs === undefined ? null : <span>{span(durationMs)}</span>}
            <Time atMs={entry.atMs} />
          </span>
        </summary>
        <div className="grid gap-2 border-t border-line p-3">
          {evidence.tree === undefined ? null : (
            <p className="text-xs text-muted">
              Files <code className="font-mono">{evidence.tree.slice(0, 16)}</code>
            </p>
          )}
          {output === '' ? (
            <p className="text-muted">It printed nothing.</p>
          ) : (
            <pre
              tabIndex={0}
              className="max-h-96 overflow-auto rounded-md bg-sunken p-3 font-mono text-xs whitespace-pre-wrap"
            >
              {output}
            </pre>
          )}
        </div>
      </details>
    </li>
  )
}

function Certificates({ detail }: TabProps): ReactElement | null {
  const { run, state } = detail
  const { data } = useRunPart<Page<CertificateEntry>>(run.id, 'certificates', {
    isNeeded: state.certificate !== undefined,
    query: { limit: 1 },
  })
  const [newest] = data?.items ?? []
  if (newest === undefined) return null
  const { certificate, id } = newest
  return (
    <section className="grid gap-2 rounded-xl border border-line bg-panel p-4">
      <h2 className="flex items-center gap-2 font-semibold">
        <BadgeCheck size={17} className="text-good" aria-hidden /> Certificate
      </h2>
      <p>{describeLevel(certificate) ?? 'The checks pass on these files.'}</p>
      <ul className="list-disc pl-5">
        {describeStrength(certificate).map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
      <CertifiedChecks certificate={certificate} run={run.name} />
      <p className="text-xs text-muted">
        Issued <Time atMs={Date.parse(certificate.issuedAt)} />. It is void once the files change.
      </p>
      <p>
        <Command text={`loopctl verify ${id.slice(0, 16)}`} />
      </p>
    </section>
  )
}
