/** Certificates, the findings of `verify`, and keys, for a terminal. */

import type {
  Certificate,
  CertifiedCheck,
  KeyEntry,
  ListedCertificate,
  Verification,
  VerifyFinding,
} from '../../history/certificates/index.ts'
import { describeRates, type Share } from '../../loop/index.ts'
import { describeLevel, describeStrength } from '../../protocol/certificate/describe-strength.ts'
import { plural, renderMoney, renderSpan, renderTokens } from './amounts.ts'
import { type Finding, type Mark, renderSection, type SectionOptions } from './findings.ts'
import { renderTable, visible } from './render.ts'

const headWidth = 11

const marks: Readonly<Record<VerifyFinding['status'], Mark>> = {
  ok: 'good',
  failed: 'bad',
  untrusted: 'warning',
  'not-looked-at': 'none',
}

const verdicts: Readonly<Record<Verification['verdict'], string>> = {
  valid: 'valid: signed by a trusted key, and nothing that was checked has changed.',
  invalid: 'INVALID: the certificate proves nothing.',
  untrusted: 'UNTRUSTED: the certificate is intact, but its signing key is not trusted here.',
  differs: 'DIFFERS: the certificate is valid, but certifies other files.',
}

/** One line for each finding, and the verdict. */
export function renderVerification(
  { verdict, findings }: Verification,
  options: SectionOptions,
): string {
  const { style } = options
  const lines = findings.map(({ look, status, message, advice, paths = [] }) => {
    const unseen = status === 'not-looked-at' ? 'not checked: ' : ''
    const finding: Finding = {
      mark: marks[status],
      text: `${unseen}${message}`,
      more: [...paths, ...(advice === undefined ? [] : [advice])],
    }
    return renderSection(look, [finding], { ...options, headWidth })
  })
  const tone = verdict === 'valid' ? style.green : style.red
  return [...lines, tone(verdicts[verdict])].join('\n')
}

export function renderCertificate({ id, certificate }: ListedCertificate): string {
  const { what, tree, commit, base, checks, sealed, approvals, layer, sandbox, agent } = certificate
  const { teeth, budget } = certificate
  const rows: (readonly [string, string | undefined])[] = [
    ['certificate', id],
    ['issued', `${certificate.issuedAt}, number ${certificate.number} of its chain`],
    ['of', describe(what)],
    ['tree', tree],
    ['commit', commit],
    ['base', base?.commit ?? base?.tree],
    ['rests on', restsOn(certificate)],
    ['strength', describeLevel(certificate)],
    ...describeStrength(certificate).map((line): readonly [string, string] => ['', line]),
    ...checks.map((check): readonly [string, string] => ['check', checkLine(check)]),
    ...sealed.changes.map(({ path, what: how }): readonly [string, string] => [
      'sealed',
      `${how} ${path}${sealed.approval === undefined ? '' : `, approved by ${sealed.approval.by}`}`,
    ]),
    ...approvals.map(({ codes, by, at }): readonly [string, string] => [
      'set aside',
      `${codes.join(', ')} by ${by}, ${at}`,
    ]),
    ...certificate.consultations.map(
      ({ name, status, agent: by, summary }): readonly [string, string] => [
        'consulted',
        `${status}  ${name}: ${by}${summary === undefined ? '' : ` (${summary})`}`,
      ],
    ),
    ['planted', teeth && `${teeth.noticed} of ${teeth.planted} defects noticed`],
    ['layer', layer && layerLine(layer)],
    ['sandbox', sandbox && `${sandbox.tier}, limits by ${sandbox.limits}`],
    ['agent', agent && [agent.name, agent.version].filter((part) => part !== undefined).join(' ')],
    ['model', certificate.model],
    ['spent', budget && spentLine(budget)],
    ['policy', policyLine(certificate.policy)],
  ]
  return rows
    .flatMap(([head, text]) => (text === undefined ? [] : `${head.padEnd(13)}${visible(text)}`))
    .join('\n')
}

export function renderCertificates(found: readonly ListedCertificate[]): string {
  if (found.length === 0) return 'No certificates yet: a completed run gets one.'
  const rows = found.map(({ id, certificate }) => [
    String(certificate.number),
    certificate.what.name,
    certificate.issuedAt,
    String(certificate.checks.length),
    id.slice(0, 16),
  ])
  return renderTable([['NUMBER', 'OF', 'ISSUED', 'CHECKS', 'ID'], ...rows])
}

export function renderKeys(keys: readonly KeyEntry[]): string {
  if (keys.length === 0) return 'No keys yet: the first certificate creates one.'
  const rows = keys.map(({ id, role, since, until, name }) => [
    id.slice(0, 16),
    role,
    since ?? '',
    until ?? '',
    name ?? '',
  ])
  return renderTable([['KEY', 'ROLE', 'SINCE', 'UNTIL', 'NAME'], ...rows])
}

/** A summary that names the origin itself needs no prefix. */
const layerLine = ({ from, summary }: NonNullable<Certificate['layer']>): string =>
  from === 'none' || summary.startsWith(from) ? summary : `${from}: ${summary}`

const describe = (what: Certificate['what']): string =>
  what.type === 'run'
    ? `the run ${what.name} of ${what.loop}, iteration ${what.iteration}, condition ${what.condition}`
    : `the files of ${what.name}`

const spentLine = ({ spent, activeMs }: NonNullable<Certificate['budget']>): string => {
  const { costMicros } = spent
  return `${renderSpan(activeMs)}, ${renderTokens(spent)}, ${renderMoney(costMicros)}`
}

const restsOn = ({ rests }: Certificate): string =>
  [...rests.checks, ...(rests.code === undefined ? [] : [`the loop's own ${rests.code}`])].join(
    ', ',
  )

function checkLine({
  name,
  pass,
  status,
  command,
  counts,
  flaky,
  allowed,
  calibration,
  reads,
}: CertifiedCheck): string {
  const notes = [
    pass === 'sealed' ? 'with the original tests' : undefined,
    counts && `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`,
    flaky && `flaky: ${flaky.join(', ')}`,
    allowed && 'failed before the run, allowed',
    reads && `read ${plural(reads.count, 'file')}`,
    calibration &&
      describeRates({
        falseAccepts: shareOf(calibration.falseAccepts),
        falseRejects: shareOf(calibration.falseRejects),
      }),
  ].filter((note) => note !== undefined)
  const said = notes.length === 0 ? '' : ` (${notes.join('; ')})`
  return `${status}  ${name}: ${command.join(' ')}${said}`
}

const shareOf = ({
  count,
  of,
  low,
  high,
}: NonNullable<CertifiedCheck['calibration']>['falseAccepts']): Share => ({
  count,
  n: of,
  value: of === 0 ? 0 : count / of,
  low,
  high,
})

function policyLine({ decision, set, rules = [] }: Certificate['policy']): string {
  if (decision === 'none') return decision
  const by = rules.length === 0 ? '' : ` by ${rules.join(', ')}`
  return `${decision}ed${by}, rules ${set.slice(0, 12)}`
}
