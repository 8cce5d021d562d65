/**
 * Whether a message says what to do next: a sentence that begins with what to do, a command to type, or what
 * would have been right.
 */

const verbs =
  'Add|Allow|Certify|Encode|Record|Answer|Ask|Await|Begin|Configure|Cancel|Change|Check|Choose|Close|Commit|Compare|Copy|Correct|Create|Delete|Disable|' +
  'Enable|End|Export|Fetch|Find|Fork|Free|Reserve|Get|Give|Go|Install|Keep|Leave|Let|Load|Log|Look|Make|Mend|' +
  'Merge|Mount|Move|Name|Open|Pass|Pause|Put|Quote|Raise|Read|Remove|Rename|Repair|Replace|Report|Resume|Retry|' +
  'Restore|Run|Save|Say|See|Send|Set|Show|Shorten|Spell|Start|Stop|Take|Tell|Trust|Try|Turn|Type|Unset|Update|' +
  'Upgrade|Use|Verify|Wait|Watch|Write'

const sentence = new RegExp(
  `(?:^\\W*|[.:;,!?(…]\\W+|\\n\\W*|\\b(?:then|or|and|to)\\s+)(?:${verbs})\\b`,
  'i',
)
const command =
  /\b(?:loopctl|loopd|git|npm|npx|sysctl|systemctl|chmod|apt-get) [a-z-]|(?:^|[\s(])--[a-z]/
const right =
  /\b(?:must|needs?|should|may be|can only|at most|at least|expected|instead|did you mean|(?:statuses|known ones|names) are|it has|there (?:is|are)(?=:| "))\b/i

export const saysWhatNext = (message: string): boolean =>
  sentence.test(message) || command.test(message) || right.test(message)
