/** Whether an IP address is on the internet, and not on this machine or a local network. */

import { BlockList, isIP } from 'node:net'

const notPublic = new BlockList()
const refused4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const
for (const [address, bits] of refused4) notPublic.addSubnet(address, bits, 'ipv4')

/** All public IPv6 addresses are in this range, except those in `refused6`, some of which embed IPv4. */
const public6 = new BlockList()
public6.addSubnet('2000::', 3, 'ipv6')
const refused6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const
for (const [address, bits] of refused6) notPublic.addSubnet(address, bits, 'ipv6')

export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !notPublic.check(address, 'ipv4')
    case 6:
      return public6.check(address, 'ipv6') && !notPublic.check(address, 'ipv6')
    default:
      return false
  }
}
