/** The checks of a certificate: what each read, whether it is flaky, and how often it is wrong where that was measured. */

import type { ReactElement } from 'react'
import type { CertificateEntry } from '../../../../client/browser.ts'
import { CheckResult } from '../../../parts/check-status.tsx'
import { Command } from '../../../parts/command.tsx'
import { plural } from '../../../parts/format.ts'
import { Table } from '../../../parts/table.tsx'

const columns = [
  'Check',
  'Result',
  'Read',
  'Accepts wrong work',
  'Rejects good work',
  'Same files, other result',
]
const shownMax = 200

type Certified = CertificateEntry['certificate']['checks'][number]
type Rate = NonNullable<Certified['calibration']>['falseAccepts']

export interface CertifiedChecksProps {
  readonly certificate: CertificateEntry['certificate']
  /** For the commands that show more. */
  readonly run: string
}

export function CertifiedChecks({ certificate, run }: CertifiedChecksProps): ReactElement {
  const checks = certificate.checks.slice(0, shownMax)
  const isMeasured = checks.some(({ calibration }) => calibration !== undefined)
  const hasReads = checks.some(({ reads }) => reads !== undefined)
  return (
    <div className="grid gap-2">
      <Table label="Certified checks" columns={columns}>
        {checks.map((check, at) => (
          <tr key={`${at} ${check.name}`} className="border-b border-line align-top last:border-0">
            <td className="px-3 py-1.5">
              <span className="font-mono text-[13px]">{check.name}</span>
              {check.pass === 'sealed' ? (
                <span className="block text-xs text-muted">with the sealed files of the base</span>
              ) : null}
            </td>
            <td className="px-3 py-1.5">
              <CheckResult status={check.status} />
            </td>
            <td className="px-3 py-1.5">
              {check.reads === undefined ? 'not observed' : plural(check.reads.count, 'file')}
            </td>
            <td className="px-3 py-1.5">{rateText(check.calibration?.falseAccepts)}</td>
            <td className="px-3 py-1.5">{rateText(check.calibration?.falseRejects)}</td>
            <td className="px-3 py-1.5">
              {check.flaky === undefined ? (
                <span className="text-muted">never seen</span>
              ) : (
                <span className="text-warn">flaky: {check.flaky.join(', ')}</span>
              )}
            </td>
          </tr>
        ))}
      </Table>
      {hasReads ? (
        <p className="text-xs text-muted">
          The files that each check read: <Command text={`loopctl show ${run} --reads`} />
        </p>
      ) : null}
      {isMeasured ? null : (
        <p className="text-xs text-muted">
          How often the checks are wrong is not known. To measure it:{' '}
          <Command text="loopctl calibrate <loop file>" />
        </p>
      )}
    </div>
  )
}

function rateText(rate: Rate | undefined): string {
  if (rate === undefined) return 'not measured'
  const { count, of, low, high } = rate
  return `${percent(of === 0 ? 0 : count / of)} (${percent(low)} to ${percent(high)}; ${count} of ${of})`
}

const percent = (share: number): string => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`
