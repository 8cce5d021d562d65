/** A hundred ways to write a path that leads out of a run's folder. */

const up = [
  '../',
  '..%2f',
  '..%2F',
  '%2e%2e/',
  '%2e%2e%2f',
  '%2E%2E%2F',
  '.%2e/',
  '%2e./',
  '..%5c',
  '..\\',
  '%2e%2e%5c',
  '%252e%252e%252f',
  '..%252f',
  '%25252e%25252e%25252f',
  '..;/',
  '..%3b/',
  '%c0%ae%c0%ae/',
  '%c0%ae%c0%ae%c0%af',
  '..%c0%af',
  '..%c1%9c',
  '..%ef%bc%8f',
  '%uff0e%uff0e%u2215',
  '....//',
  '..././',
  './../',
  '.%00./',
  '..%00/',
  '..%0a/',
  '..%20/',
  '%2e%2e;%2f',
]

const absolute = [
  '/etc/passwd',
  '//etc/passwd',
  '%2fetc%2fpasswd',
  '%2Fetc%2Fpasswd',
  '%252fetc%252fpasswd',
  'file:///etc/passwd',
  'file:%2f%2f%2fetc%2fpasswd',
  '~/.ssh/id_rsa',
  '%7e/.ssh/id_rsa',
  'C:%5cWindows%5cwin.ini',
]

const odd = [
  '',
  '.',
  '..',
  '%00',
  'report.tsv%00',
  'report.tsv%00.txt',
  'report.tsv/..',
  'report.tsv/../run.log',
  'report.tsv%2f..%2frun.log',
  './report.tsv',
  '.folder.json',
  '%2efolder.json',
  'REPORT.TSV%20',
  'a'.repeat(600),
]

/** From the run's folder, which is three below the workspace. */
export function waysOut(outside: string, run: string): readonly string[] {
  const files = `/runs/${run}/artifacts/`
  const climbs = up.flatMap((step) => [
    `${files}${step.repeat(3)}outside.txt`,
    `${files}analysis/${step.repeat(4)}outside.txt`,
    `${files}${step.repeat(12)}etc/passwd`,
  ])
  const runs = up.map((step) => `/runs/${step.repeat(3)}/artifacts/outside.txt`)
  const whole = [...absolute, encodeURIComponent(outside), outside].map((one) => `${files}${one}`)
  return [...climbs, ...runs, ...whole, ...odd.map((one) => `${files}${one}`)].filter(isNoList)
}

/** What the server's own reading of the path makes the list of files, or another route, is no way out. */
function isNoList(path: string): boolean {
  if (/[\s\\]/.test(path)) return false
  const { pathname } = new URL(path, 'http://127.0.0.1')
  return (
    /^\/runs\/[^/]+\/artifacts\/./.test(pathname) && !/\/(report\.tsv|run\.log)$/.test(pathname)
  )
}
