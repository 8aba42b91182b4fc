/** The columns of a person, by the members of `Person`. The statement names the table `p`. */
export const PERSON_COLUMNS = `p.id, p.email, p.name, p.merchant_id as "merchantId", p.roles, p.state, p.language`;
