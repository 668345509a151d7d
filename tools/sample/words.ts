// Lists the words and phrases of the synthetic warehouse's texts, and builds the SQL of their tables.

const sql = String.raw;
const items = (text: string): readonly string[] => text.split(",").map((item) => item.trim());

/** The generic purposes and how many of 1,000 rows carry each: the first ten cover half of the rows. */
const genericPurposes: readonly (readonly [text: string, perMille: number])[] = [
  ["General support", 210],
  ["To further the exempt purpose of the organization", 90],
  ["General operating support", 70],
  ["Program support", 35],
  ["Education", 25],
  ["Research", 20],
  ["Scholarships", 18],
  ["Charitable", 15],
  ["Unrestricted", 15],
  ["For general support", 12],
  ["Charitable contribution in support of overall mission", 8],
  ["Donation", 8],
  ["Contribution", 7],
  ["Support exempt mission", 6],
  ["Charitable purposes", 6],
  ["Operating support", 6],
  ["Community support", 5],
  ["Social services", 5],
  ["Religious", 5],
  ["Capital campaign", 5],
  ["Annual fund", 5],
  ["Human services", 5],
  ["Arts and culture", 5],
  ["Health", 5],
  ["Youth development", 5],
  ["See attached", 5],
  ["Matching gift", 5],
  ["Medical research", 5],
  ["Sponsorship", 4],
  ["Disaster relief", 4],
];

const openings = `
Support for the, To provide, Funding of the, To support the, Scholarship for students of, For, To fund,
Grant to expand the, Purchase of equipment for, Renovation of, Construction of the, Sponsorship of the,
Matching gift for the, Assistance with, To further the, Development of the, Capital campaign for the,
Operating costs of, To help, In memory of, In honor of, Restricted to, Emergency aid for, To promote,
Start-up of the, Research on, Training in, Endowment of the, Completion of, Travel to the, Preservation of,
Outreach by the, Fellowship in, Subaward for, Donor advised gift to, Designated for the, Continuation of`;

const fields = `
education, health, youth, community, arts, housing, literacy, food pantry, after school, mental health,
animal rescue, early childhood, senior, veterans, music, theater, science, math, nursing, cancer research,
hospice, homeless, summer camp, leadership, mentoring, scholarship, disaster relief, conservation, wildlife,
river, watershed, land trust, museum, library, history, ministry, missionary, church, choir, athletics,
soccer, swimming, technology, robotics, engineering, agriculture, garden, nutrition, hunger relief,
clean water, climate, energy, refugee, immigrant, legal aid, civil rights, voter education, women's, girls',
boys', family, foster care, adoption, parenting, domestic violence, recovery, addiction, prevention,
diabetes, heart disease, Alzheimer's, autism, disability, vision, hearing, dental, rural health, telehealth,
workforce, job training, small business, microfinance, economic development, neighborhood,
affordable housing, transit, public safety, fire department, search and rescue, journalism, public radio,
film, dance, ballet, opera, poetry, visual arts, ceramics, heritage, archaeology, marine biology, astronomy,
medical education, pediatric, maternal health, global health, vaccine, malaria, HIV/AIDS, orphan,
Torah study, interfaith`;

const endings = `
Program, Project, Initiative, Scholarship Fund, Annual Gala, Center, Campaign, Services, Fund, Conference,
Workshop, Partnership, Curriculum, Expansion, Building, Academy, Outreach, Festival, Grant, Study,
Fellowship, Collaborative, Summit, Series, Endowment, Pilot, Challenge, Coalition, Symposium, Internship`;

const institutions = `
Foundation, University, Community Foundation, Public Library, Food Bank, Elementary School, High School,
Medical Center, Church, Historical Society, Humane Society, Museum of Art, Symphony Orchestra,
Community Center, Boys & Girls Club, YMCA, Habitat for Humanity, Land Trust, College, Hospital,
School District, Ministries, Academy, Institute, Children's Home, Rescue Mission, Fire Department,
Little League, Scholarship Fund, Chamber of Commerce, Rotary Club, Theatre Company, Nature Center,
Day School, Baptist Church, Lutheran Church, Synagogue, Islamic Center, Family Services, Health Clinic,
Senior Center, Animal Shelter, Education Fund, United Way, Arts Council, Legal Aid Society,
Research Institute, Botanical Garden, Preschool, Charter School, Conservancy, Alliance, Association,
Society, Trust, Network, Coalition, Project, League, Fund`;

const commonWords = `
Hope, American, Grace, New, First, National, Saint, North, West, Trinity, Community, Liberty, Heritage,
South, East, Mercy, Unity, Faith, River, Valley, Lincoln, Washington, Jefferson, Franklin, Madison, Harvard,
Stanford, Boston, Chicago, Dallas, Houston, Denver, Atlanta, Seattle, Portland, Phoenix, Austin, Miami,
Detroit, Cleveland, Columbus, Memphis, Nashville, Baltimore, Oakland, Sacramento, Tucson, Omaha, Tulsa,
Wichita, Arlington, Tampa, Newark, Buffalo, Richmond, Spokane, Boise, Salem, Springfield, Georgetown,
Fairview, Greenville, Bristol, Clinton, Dayton, Dover, Hudson, Jackson, Kingston, Lexington, Manchester,
Milford, Newport, Oxford, Princeton, Riverside, Rochester, Winchester, Texas, California, Florida, Ohio,
Georgia, Michigan, Virginia, Oregon, Kansas, Iowa, Utah, Maine, Alaska, Hawaii, Montana, Wyoming, Nevada,
Idaho, Dakota, Carolina, Tennessee, Kentucky, Alabama, Missouri, Minnesota, Wisconsin, Illinois, Indiana,
Colorado, Arizona, Smith, Johnson, Williams, Brown, Jones, Garcia, Miller, Davis, Rodriguez, Martinez,
Hernandez, Lopez, Gonzalez, Wilson, Anderson, Thomas, Taylor, Moore, Martin, Lee, Perez, Thompson, White,
Harris, Sanchez, Clark, Ramirez, Lewis, Robinson, Walker, Young, Allen, King, Wright, Scott, Torres, Nguyen,
Hill, Flores, Green, Adams, Nelson, Baker, Hall, Rivera, Campbell, Mitchell, Carter, Roberts, Gomez,
Phillips, Evans, Turner, Diaz, Parker, Cruz, Edwards, Collins, Reyes, Stewart, Morris, Morales, Murphy,
Cook, Rogers, Gutierrez, Ortiz, Morgan, Cooper, Peterson, Bailey, Reed, Kelly, Howard, Ramos, Kim, Cox,
Ward, Richardson, Watson, Brooks, Chavez, Wood, James, Bennett, Gray, Mendoza, Ruiz, Hughes, Price, Alvarez,
Castillo, Sanders, Patel, Myers, Long, Ross, Foster, Jimenez, Powell, Jenkins, Perry, Russell, Sullivan,
Mary, John, Robert, Patricia, Jennifer, Michael, Linda, David, Elizabeth, William, Barbara, Richard, Susan,
Joseph, Jessica, Sarah, Charles, Karen, Daniel, Nancy, Lisa, Matthew, Anthony, Margaret, Mark, Sandra,
Ashley, Steven, Paul, Andrew, Emily, Joshua, Kenneth, Kevin, Brian, George, Amanda, Melissa, Deborah,
Timothy, Ronald, Edward, Jason, Rebecca, Laura, Cynthia, Amy, Kathleen, Angela, Ruth, Pioneer, Summit,
Cascade, Harbor, Lakeside, Prairie, Canyon, Redwood, Cedar, Maple, Oak, Pine, Willow, Aspen, Eagle, Falcon,
Heron, Salmon, Beacon, Bridge, Compass, Gateway, Horizon, Journey, Lantern, Lighthouse, Keystone,
Cornerstone, Harvest, Sunrise, Starlight, Rainbow, Phoenix`;

/** Words that test Unicode, case mapping and escaping. Each occurs a few times in 10,000 texts. */
const unusualWords = `
José, Peña, Québec, Zürich, São Paulo, Łódź, İstanbul, Nguyễn, Åland, Reykjavík, Malmö, François, Müller,
Straße, Čapek, Dvořák, Señora, Cafe\u0301, Re\u0301sume\u0301, N\u0303andu\u0301, A\u030Angstro\u0308m, 東京,
北京大学, 서울, Москва, Αθήνα, ירושלים, القاهرة, हिन्दी, 🎓, ❤️, 👩‍🔬, O'Brien, D'Angelo, "Buddy", “Champions”,
O’Neill, AT&T, R&D, 50%_match, K_12, C:\\grants, <b>Hope</b>, {STEM}, [sic], Smith/Jones, *Urgent*,
501(c)(3), e\u00ADmail, Saint\u00A0Paul, ﬁnancial, Ⅳ, ½, 10^6, back\\slash, semi;colon, pipe|line, tilde~,
#hashtag, @home`;

const nonCashDescriptions = `
N/A, Food, Pet food, Medical supplies, Pet medication, Clothing, Books, Publicly traded stock,
School supplies, Household goods, Computer equipment, Vehicles, Toys, Donated food; personal care items`;

const placeholderNames = `
See attached schedule, Various, See attached, Various - see statement, Individuals, Scholarship recipients,
None`;

/** Parts of invented proper names. A head, a middle and a tail give about 115,000 names. */
const heads = `
Mar, Bel, Har, Win, Kes, Tar, Lan, Mor, Fen, Gar, Hol, Ash, Brad, Cal, Dun, El, Far, Glen, Hart, Ing, Jar,
Kirk, Lin, Mel, Nor, Or, Pem, Quin, Ros, Sel, Thorn, Ul, Van, Wes, Yar, Zel, Ald, Bron, Cor, Dar, Em, Fair,
Gil, Ham, Is, Jen, Kal, Lor, Mil, Nev, Os, Pel, Rad, Sher, Tren, Ver, Wal, Al, Bar, Chan`;
const middles = `
ber, den, ing, ingham, sel, ver, mer, ro, ri, la, lo, na, ne, ta, ti, da, di, ke, ka, ma, mi, po, pa, sa,
so, be, bo, ga, go, ha, le, li, lu, nu, ra, re, ru, se, te, va`;
const tails = `
ton, ford, ville, burg, ley, field, wood, son, man, stein, berg, worth, well, wick, dale, by, ham, mont,
port, bury, stead, gate, brook, more, land, view, haven, crest, ridge, ster, cott, shire, quist, sky, ski,
vic, ez, ini, elli, etti, ano, eau, ault, ier, oux, ish, ock, ow, ard, ell, ett, ian, ich, en`;

/** Cities with their states. */
const places = `
New York NY, Chicago IL, Boston MA, San Francisco CA, Los Angeles CA, Minneapolis MN, St Paul MN, Seattle WA,
Houston TX, Dallas TX, Austin TX, Atlanta GA, Philadelphia PA, Pittsburgh PA, Cleveland OH, Columbus OH, Detroit MI,
Kalamazoo MI, Milwaukee WI, Madison WI, St Louis MO, Kansas City MO, Denver CO, Portland OR, Omaha NE, Tulsa OK,
Indianapolis IN, Baltimore MD, Washington DC, Richmond VA, Charlotte NC, Miami FL, Tampa FL, Nashville TN,
New Orleans LA, Salt Lake City UT, Phoenix AZ, Honolulu HI, Anchorage AK, Burlington VT`;

/** The first three digits of ZIP codes in each of `places`. */
const zipAreas = `
100, 606, 021, 941, 900, 554, 551, 981, 770, 752, 787, 303, 191, 152, 441, 432, 482, 490, 532, 537, 631, 641, 802, 972,
681, 741, 462, 212, 200, 232, 282, 331, 336, 372, 701, 841, 850, 968, 995, 054`;

/** Cities abroad, with the IRS's codes of their countries, and a postal code. */
const foreignPlaces = `
Toronto/CA/M5V 2T6, Vancouver/CA/V6B 1A1, London/UK/EC1A 1BB, Oxford/UK/OX1 2JD, Jerusalem/IS/9100001, Geneva/SZ/1202,
Nairobi/KE/00100, Mexico City/MX/06000, New Delhi/IN/110001, Berlin/GM/10115`;

/** Foundation status of recipients as foundations write it: most are public charities. */
const statuses = `
PC, PC, PC, PC, PC, PC, PC, PC, PC, PC, PC, PC, NC, PC, POF, GOV, SO I, 501(C)(3), PUBLIC CHARITY, EXEMPT`;

/** Given names of persons. */
const givenNames = `
Mary, John, Robert, Patricia, Jennifer, Michael, Linda, David, Elizabeth, William, Barbara, Richard, Susan, Joseph,
Jessica, Sarah, Charles, Karen, Daniel, Nancy, Lisa, Matthew, Anthony, Margaret, Mark, Sandra, Ashley, Steven`;

/** The lists, which SQL reads by name from the variable `vocabulary`, e.g., `getvariable('vocabulary').fields`. */
export const vocabulary: Readonly<Record<string, readonly string[]>> = {
  genericPurposes: genericPurposes.flatMap(([text, perMille]) => Array<string>(perMille).fill(text)),
  openings: items(openings),
  fields: items(fields),
  endings: items(endings),
  institutions: items(institutions),
  commonWords: items(commonWords),
  unusualWords: items(unusualWords),
  nonCashDescriptions: items(nonCashDescriptions),
  placeholderNames: items(placeholderNames),
  heads: items(heads),
  middles: items(middles),
  tails: items(tails),
  places: items(places),
  zipAreas: items(zipAreas),
  foreignPlaces: items(foreignPlaces),
  statuses: items(statuses),
  givenNames: items(givenNames),
};

/** Words by descending frequency, numbered from 0: common words first, unusual ones among invented proper names. */
export const wordsSql = sql`
CREATE TABLE words AS
WITH made_up AS (
  SELECT DISTINCT head || middle || tail AS text
  FROM (SELECT unnest(getvariable('vocabulary').heads) AS head),
       (SELECT unnest(getvariable('vocabulary').middles) AS middle),
       (SELECT unnest(getvariable('vocabulary').tails) AS tail)
), ranked AS (
  SELECT getvariable('vocabulary').commonWords[i + 1] AS text, i AS rank
  FROM range(len(getvariable('vocabulary').commonWords)) AS t(i)
  UNION ALL
  SELECT getvariable('vocabulary').unusualWords[i + 1], 150 + 37 * i
  FROM range(len(getvariable('vocabulary').unusualWords)) AS t(i)
  UNION ALL
  SELECT text, 200 + pick(hash(text), 'rank', 100000) FROM made_up
)
SELECT row_number() OVER (ORDER BY rank, text) - 1 AS number, text FROM ranked;
SET VARIABLE words = (SELECT count(*) FROM words)`;

/** Long explanations of 7 to 84 words that some purposes end with. */
export const paragraphsSql = sql`
CREATE TABLE paragraphs AS
WITH lengths AS (
  SELECT paragraph, floor(7 * pow(12, chance(hash(paragraph), 'length')))::BIGINT AS length
  FROM range(getvariable('paragraphs')) AS t(paragraph)
), places AS (
  SELECT paragraph, unnest(range(length)) AS position FROM lengths
), keyed AS (
  SELECT paragraph, position, key_of(hash(paragraph), 'word', position) AS key FROM places
), chosen AS (
  SELECT paragraph, position,
    CASE pick(key, 'kind', 4)
      WHEN 0 THEN item(getvariable('vocabulary').fields, key, 'field')
      WHEN 1 THEN item(getvariable('vocabulary').openings, key, 'opening')
      WHEN 2 THEN item(getvariable('vocabulary').endings, key, 'ending')
      ELSE words.text END AS text
  FROM keyed JOIN words ON words.number = rank_of(key, 'word', getvariable('words'))
)
SELECT paragraph AS number, string_agg(text, ' ' ORDER BY position) AS text FROM chosen GROUP BY paragraph`;
