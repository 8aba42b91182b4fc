/**
 * The numbers of all advisory locks of the service. Two uses of one number would wait for each other without
 * a reason, or deadlock. The SQL of `stops` contains its number too.
 */
export const ADVISORY_LOCKS = {
  migrations: 7_265_390_124n,
  catalogue: 7_265_390_125n,
  service: 7_265_390_126n,
  releases: 7_265_390_127n,
  stops: 7_265_390_128n,
  fold: 7_265_390_131n,
  demo: 7_265_390_132n,
  mails: 7_265_390_133n,
} as const;
