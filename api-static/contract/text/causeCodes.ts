// Names the codes of the National Taxonomy of Exempt Entities, core codes (NTEE-CC), revision of May 2005, by the National Center for
// Charitable Statistics: https://nccs.urban.org/classification/national-taxonomy-exempt-entities
import { causeNames } from "./causes.ts";

/** Codes that every major group has. */
const common: Readonly<Record<string, string>> = {
  "01": "Alliances & Advocacy",
  "02": "Management & Technical Assistance",
  "03": "Professional Societies & Associations",
  "05": "Research Institutes & Public Policy Analysis",
  "11": "Single Organization Support",
  "12": "Fund Raising & Fund Distribution",
  "19": "Support, Other",
  "99": "Other",
};

/** The other codes of each major group. Those of medical research (H) are the ones of G. */
const own: Readonly<Record<string, string>> = {
  A:
    "20 Arts & Culture; 23 Cultural & Ethnic Awareness; 24 Folk Arts; 25 Arts Education; " +
    "26 Arts & Humanities Councils & Agencies; 27 Community Celebrations; 30 Media & Communications; 31 Film & Video; " +
    "32 Television; 33 Printing & Publishing; 34 Radio; 40 Visual Arts; 50 Museums; 51 Art Museums; 52 Children’s Museums; " +
    "54 History Museums; 56 Natural History & Natural Science Museums; 57 Science & Technology Museums; " +
    "60 Performing Arts; 61 Performing Arts Centers; 62 Dance; 63 Ballet; 65 Theater; 68 Music; 69 Symphony Orchestras; " +
    "6A Opera; 6B Singing & Choral Groups; 6C Bands & Ensembles; 6E Performing Arts Schools; 70 Humanities; " +
    "80 Historical Organizations; 82 Historical Societies & Historic Preservation; 84 Commemorative Events; " +
    "90 Arts Services",
  B:
    "20 Elementary & Secondary Schools; 21 Preschools; 24 Primary & Elementary Schools; 25 Secondary & High Schools; " +
    "28 Special Education; 29 Charter Schools; 30 Vocational & Technical Schools; 40 Higher Education; " +
    "41 Two-Year Colleges; 42 Undergraduate Colleges; 43 Universities; 50 Graduate & Professional Schools; " +
    "60 Adult Education; 70 Libraries; 80 Student Services; 82 Scholarships & Student Financial Aid; " +
    "83 Student Sororities & Fraternities; 84 Alumni Associations; 90 Educational Services; " +
    "92 Remedial Reading & Encouragement; 94 Parent & Teacher Groups",
  C:
    "20 Pollution Abatement & Control; 27 Recycling; 30 Natural Resources Conservation & Protection; " +
    "32 Water Resources, Wetlands Conservation & Management; 34 Land Resources Conservation; " +
    "35 Energy Resources Conservation & Development; 36 Forest Conservation; " +
    "40 Botanical, Horticultural & Landscape Services; 41 Botanical Gardens & Arboreta; 42 Garden Clubs; " +
    "50 Environmental Beautification; 60 Environmental Education",
  D:
    "20 Animal Protection & Welfare; 30 Wildlife Preservation & Protection; 31 Protection of Endangered Species; " +
    "32 Bird Sanctuaries; 33 Fisheries Resources; 34 Wildlife Sanctuaries; 40 Veterinary Services; 50 Zoos & Aquariums; " +
    "60 Animal Services, Other; 61 Animal Training",
  E:
    "20 Hospitals; 21 Community Health Systems; 22 General Hospitals; 24 Specialty Hospitals; " +
    "30 Ambulatory & Primary Health Care; 31 Group Health Practices; 32 Community Clinics; 40 Reproductive Health Care; " +
    "42 Family Planning; 50 Rehabilitative Care; 60 Health Support; 61 Blood Banks; " +
    "62 Emergency Medical Services & Transport; 65 Organ & Tissue Banks; 70 Public Health; " +
    "80 Health (General & Financing); 86 Patient & Family Support; 90 Nursing; 91 Nursing Facilities; 92 Home Health Care",
  F:
    "20 Substance Abuse Dependency, Prevention & Treatment; 21 Substance Abuse Prevention; 22 Substance Abuse Treatment; " +
    "30 Mental Health Treatment; 31 Psychiatric Hospitals; 32 Community Mental Health Centers; " +
    "33 Residential Mental Health Treatment; 40 Hot Lines & Crisis Intervention; 42 Sexual Assault Services; " +
    "50 Addictive Disorders, Other; 52 Smoking Addiction; 53 Eating Disorders & Addictions; 54 Gambling Addiction; " +
    "60 Counseling; 70 Mental Health Disorders; 80 Mental Health Associations",
  G:
    "20 Birth Defects & Genetic Diseases; 25 Down Syndrome; 30 Cancer; 32 Breast Cancer; 40 Diseases of Specific Organs; " +
    "41 Eye Diseases, Blindness & Vision Impairments; 42 Ear & Throat Diseases; " +
    "43 Heart & Circulatory System Diseases & Disorders; 44 Kidney Diseases; 45 Lung Diseases; 48 Brain Disorders; " +
    "50 Nerve, Muscle & Bone Diseases; 51 Arthritis; 54 Epilepsy; 60 Allergy-Related Diseases; 61 Asthma; " +
    "70 Digestive Diseases & Disorders; 80 Specifically Named Diseases; 81 AIDS; 83 Alzheimer’s Disease; 84 Autism; " +
    "90 Medical Disciplines; 92 Biomedicine & Bioengineering; 94 Geriatrics; 96 Neurology & Neuroscience; 98 Pediatrics; " +
    "9B Surgical Specialties",
  I:
    "20 Crime Prevention; 21 Youth Violence Prevention; 23 Drunk Driving-Related; 30 Correctional Facilities; " +
    "31 Half-Way Houses for Offenders & Ex-Offenders; 40 Rehabilitation Services for Offenders; 43 Inmate Support; " +
    "44 Prison Alternatives; 50 Administration of Justice; 51 Dispute Resolution & Mediation; 60 Law Enforcement; " +
    "70 Protection Against Abuse; 71 Spouse Abuse Prevention; 72 Child Abuse Prevention; 73 Sexual Abuse Prevention; " +
    "80 Legal Services; 83 Public Interest Law",
  J:
    "20 Employment Preparation & Procurement; 21 Vocational Counseling; 22 Job Training; 30 Vocational Rehabilitation; " +
    "32 Goodwill Industries; 33 Sheltered Employment; 40 Labor Unions",
  K:
    "20 Agricultural Programs; 25 Farmland Preservation; 26 Animal Husbandry; 28 Farm Bureaus & Granges; 30 Food Programs; " +
    "31 Food Banks & Pantries; 34 Congregate Meals; 35 Soup Kitchens; 36 Meals on Wheels; 40 Nutrition; 50 Home Economics",
  L:
    "20 Housing Development, Construction & Management; 21 Low-Income & Subsidized Rental Housing; " +
    "22 Senior Citizens’ Housing & Retirement Communities; 24 Independent Housing for People with Disabilities; " +
    "25 Housing Rehabilitation; 30 Housing Search Assistance; 40 Temporary Housing; 41 Homeless Shelters; " +
    "50 Homeowners & Tenants Associations; 80 Housing Support; 81 Home Improvement & Repairs; " +
    "82 Housing Expense Reduction Support",
  M:
    "20 Disaster Preparedness & Relief Services; 23 Search & Rescue Squads; 24 Fire Prevention; 40 Safety Education; " +
    "41 First Aid; 42 Automotive Safety; 60 Public Safety Benevolent Associations",
  N:
    "20 Camps; 30 Physical Fitness & Community Recreational Facilities; 31 Community Recreational Centers; " +
    "32 Parks & Playgrounds; 40 Sports Associations & Training Facilities; 50 Recreational Clubs; 52 Fairs; " +
    "60 Amateur Sports; 61 Fishing & Hunting; 62 Basketball; 63 Baseball & Softball; 64 Soccer; 65 Football; " +
    "66 Racquet Sports; 67 Swimming & Other Water Recreation; 68 Winter Sports; 69 Equestrian; 6A Golf; " +
    "70 Amateur Sports Competitions; 71 Olympics; 72 Special Olympics; 80 Professional Athletic Leagues",
  O:
    "20 Youth Centers & Clubs; 21 Boys Clubs; 22 Girls Clubs; 23 Boys & Girls Clubs; 30 Adult & Child Matching Programs; " +
    "31 Big Brothers & Big Sisters; 40 Scouting Organizations; 41 Boy Scouts of America; 42 Girl Scouts of the U.S.A.; " +
    "43 Camp Fire; 50 Youth Development Programs; 51 Youth Community Service Clubs; 52 Youth Development - Agricultural; " +
    "53 Youth Development - Business; 54 Youth Development - Citizenship; 55 Youth Development - Religious Leadership",
  P:
    "20 Human Services; 21 American Red Cross; 22 Urban League; 24 Salvation Army; 26 Volunteers of America; " +
    "27 Young Men’s or Women’s Associations; 28 Neighborhood Centers; 29 Thrift Shops; 30 Children & Youth Services; " +
    "31 Adoption; 32 Foster Care; 33 Child Day Care; 40 Family Services; 42 Single Parent Agencies; " +
    "43 Family Violence Shelters; 44 In-Home Assistance; 45 Family Services for Adolescent Parents; 46 Family Counseling; " +
    "47 Pregnancy Centers; 50 Personal Social Services; 51 Financial Counseling; 52 Transportation Assistance; " +
    "58 Gift Distribution; 60 Emergency Assistance; 61 Travelers’ Aid; 62 Victims’ Services; " +
    "70 Residential Care & Adult Day Programs; 71 Adult Day Care; 73 Group Homes; 74 Hospices; " +
    "75 Supportive Housing for Older Adults; 80 Centers to Support the Independence of Specific Populations; " +
    "81 Senior Centers; 82 Developmentally Disabled Centers; 84 Ethnic & Immigrant Centers; 85 Homeless Centers; " +
    "86 Blind & Visually Impaired Centers; 87 Deaf & Hearing Impaired Centers; 88 LGBT Centers",
  Q:
    "20 Promotion of International Understanding; 21 International Cultural Exchange; 22 International Academic Exchange; " +
    "23 International Exchange, Other; 30 International Development; 31 International Agricultural Development; " +
    "32 International Economic Development; 33 International Relief; 35 Democracy & Civil Society Development; " +
    "40 International Peace & Security; 41 Arms Control & Peace; 42 United Nations Associations; 43 National Security; " +
    "50 International Affairs, Foreign Policy & Globalization; 51 International Economic & Trade Policy; " +
    "70 International Human Rights; 71 International Migration & Refugee Issues",
  R:
    "20 Civil Rights; 22 Minority Rights; 23 Disabled Persons’ Rights; 24 Women’s Rights; 25 Seniors’ Rights; " +
    "26 Lesbian & Gay Rights; 28 Children’s Rights; 30 Intergroup & Race Relations; 40 Voter Education & Registration; " +
    "60 Civil Liberties; 61 Reproductive Rights; 62 Right to Life; 63 Censorship, Freedom of Speech & Press; " +
    "67 Right to Die & Euthanasia",
  S:
    "20 Community & Neighborhood Development; 21 Community Coalitions; 22 Neighborhood & Block Associations; " +
    "30 Economic Development; 31 Urban & Community Economic Development; 32 Rural Economic Development; " +
    "40 Business & Industry; 41 Chambers of Commerce & Business Leagues; 43 Small Business Development; " +
    "46 Boards of Trade; 47 Real Estate Associations; 50 Nonprofit Management; 80 Community Service Clubs; " +
    "81 Women’s Service Clubs; 82 Men’s Service Clubs",
  T:
    "20 Private Grantmaking Foundations; 21 Corporate Foundations; 22 Private Independent Foundations; " +
    "23 Private Operating Foundations; 30 Public Foundations; 31 Community Foundations; 40 Voluntarism Promotion; " +
    "50 Philanthropy, Charity & Voluntarism Promotion; 70 Federated Giving Programs; 90 Named Trusts",
  U:
    "20 General Science; 21 Marine Science & Oceanography; 30 Physical & Earth Sciences; 31 Astronomy; " +
    "33 Chemistry & Chemical Engineering; 34 Mathematics; 36 Geology; 40 Engineering & Technology; 41 Computer Science; " +
    "42 Engineering; 50 Biological & Life Sciences",
  V:
    "20 Social Science; 21 Anthropology & Sociology; 22 Economics; 23 Behavioral Science; 24 Political Science; " +
    "25 Population Studies; 26 Law & Jurisprudence; 30 Interdisciplinary Research; 31 Black Studies; 32 Women’s Studies; " +
    "33 Ethnic Studies; 34 Urban Studies; 35 International Studies; 36 Gerontology; 37 Labor Studies",
  W:
    "20 Government & Public Administration; 22 Public Finance, Taxation & Monetary Policy; 24 Citizen Participation; " +
    "30 Military & Veterans’ Organizations; 40 Public Transportation Systems; 50 Telecommunications; " +
    "60 Financial Institutions; 61 Credit Unions; 70 Leadership Development; 80 Public Utilities; 90 Consumer Protection",
  X:
    "20 Christianity; 21 Protestant; 22 Roman Catholic; 30 Judaism; 40 Islam; 50 Buddhism; 70 Hinduism; " +
    "80 Religious Media & Communications; 81 Religious Film & Video; 82 Religious Television; " +
    "83 Religious Printing & Publishing; 84 Religious Radio; 90 Interfaith Coalitions",
  Y:
    "20 Insurance Providers; 22 Local Benevolent Life Insurance Associations; " +
    "23 Mutual Insurance Companies & Associations; 24 Supplemental Unemployment Compensation; " +
    "25 State-Sponsored Worker’s Compensation Reinsurance Organizations; 30 Pension & Retirement Funds; " +
    "33 Teachers Retirement Fund Associations; 34 Employee Funded Pension Trusts; 35 Multi-Employer Pension Plans; " +
    "40 Fraternal Societies; 41 Fraternal Beneficiary Societies; 42 Domestic Fraternal Societies; " +
    "43 Voluntary Employees Beneficiary Associations (Non-Government); " +
    "44 Voluntary Employees Beneficiary Associations (Government); 50 Cemeteries",
};

/** The names of the codes that only one major group has. */
export const codeNames: ReadonlyMap<string, string> = new Map(
  Object.entries(own).flatMap(([letter, codes]) =>
    codes.split("; ").flatMap((line): [string, string][] => {
      const [code, name] = [line.slice(0, 2), line.slice(3)];
      const ofCode: [string, string] = [letter + code, name];
      return letter === "G" ? [ofCode, [`H${code}`, `${name} Research`]] : [ofCode];
    }),
  ),
);

/**
 * The name of a cause: of its code, with its major group where the code alone does not say, e.g., "Music (A68)", "Education: Alliances &
 * Advocacy (B01)". The first two characters of a code stand for the code that ends in 0. An unknown code has the name of its group.
 */
export function nameCode(code: string): string {
  const cause = code.trim().toUpperCase();
  const group = causeNames.get(cause.slice(0, 1)) ?? cause;
  if (cause.length < 2) return group;
  const ofAll = common[cause.slice(1)];
  const name = ofAll === undefined ? codeNames.get(cause.padEnd(3, "0")) : `${group}: ${ofAll}`;
  return `${name ?? group} (${cause})`;
}
